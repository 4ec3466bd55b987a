"""What the shim adds to a step of a tiny perceptron: time, and bytes of its log.

    cost.py COMMAND [ROUNDS]     the `aclsan` command; runs alternate, figures are medians

Exits with 1 if a step's log or its added time is above the limit, times on an idle machine.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

# Added time in percent of a step, and bytes of the log a step.
LIMITS = {"record": (8, 1024), "check": (20, 1024)}
STEPS = (500, 1500)
LOGS = Path("target/torch/logs")


def steps(count):
    """Prints the median of a step's microseconds of processor time, of all threads."""
    import models
    import torch
    import torch_npu

    model, x, y, loss_of = models.task("mlp")
    model, x, y = model.npu(), x.npu(), y.npu()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)

    def step():
        optimizer.zero_grad()
        loss_of(model(x), y).backward()
        optimizer.step()

    times = []
    for _ in range(count // 20):
        began = time.process_time_ns()
        for _ in range(20):
            step()
        torch.npu.synchronize()
        times.append((time.process_time_ns() - began) / 20e3)
    print(statistics.median(times[len(times) // 5 :]))


def run(command, mode, count):
    """A step's microseconds, and the bytes of the log."""
    shutil.rmtree(LOGS, ignore_errors=True)
    program = [sys.executable, __file__, "steps", str(count)]
    if mode == "bare":
        setting = subprocess.run([command, "simulator", "--env"], check=True, capture_output=True, text=True).stdout
        program = ["bash", "-c", setting + '\nexec "$@"', "bash", *program]
    else:
        program = [command, "run", "--simulate", "-o", f"{LOGS}/", "--", *program]
    environment = os.environ | {"ACLSAN_OPTIONS": f"mode={mode}" if mode != "bare" else ""}
    done = subprocess.run(program, check=True, capture_output=True, text=True, env=environment)
    # The disk's blocks: what is in use of the last segment of each thread does not depend on the number of steps.
    size = sum(log.stat().st_blocks * 512 for log in LOGS.glob("*.aclsan")) if mode != "bare" else 0
    return float(done.stdout.split()[0]), size


def main(command, rounds=7):
    found = {mode: [run(command, mode, STEPS[1]) for _ in ()] for mode in ("bare", *LIMITS)}
    for _ in range(rounds):
        for mode, figures in found.items():
            figures.append(run(command, mode, STEPS[1]))
    bare = statistics.median(each[0] for each in found["bare"])
    print(f"{rounds} rounds of {STEPS[1]} steps; alone, a step takes {bare:.0f} µs")
    failed = False
    for mode, (most_time, most_bytes) in LIMITS.items():
        short = run(command, mode, STEPS[0])[1]
        size = (found[mode][-1][1] - short) / (STEPS[1] - STEPS[0])
        added = 100 * (statistics.median(each[0] for each in found[mode]) / bare - 1)
        print(f"{mode}: {added:+.1f} % (at most {most_time}), {size:.0f} bytes of log a step (at most {most_bytes})")
        failed |= added > most_time or size > most_bytes
    sys.exit(failed)


if __name__ == "__main__":
    if sys.argv[1] == "steps":
        steps(int(sys.argv[2]))
    else:
        main(sys.argv[1], *map(int, sys.argv[2:]))
