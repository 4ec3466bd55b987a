"""What the shim adds to a step of a tiny perceptron: time, and bytes of its log.

    cost.py COMMAND [ROUNDS]     the `aclsan` command, of a release build; runs alternate, figures are medians

Processor time of all threads, so that waiting for each other does not count.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

MODES = ("record", "check")
STEPS = (500, 1500)
LOGS = Path("target/torch/logs")


def steps(count):
    """Prints the median of a step's microseconds of processor time, of all threads."""
    import torch
    import torch_npu
    from torch import nn

    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)).npu()
    x, y = torch.randn(8, 16).npu(), torch.randn(8, 1).npu()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)

    def step():
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
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
    found = {mode: [] for mode in ("bare", *MODES)}
    for _ in range(rounds):
        for mode, figures in found.items():
            figures.append(run(command, mode, STEPS[1]))
    bare = statistics.median(each[0] for each in found["bare"])
    print(f"{rounds} rounds of {STEPS[1]} steps; alone, a step takes {bare:.0f} µs")
    for mode in MODES:
        short = run(command, mode, STEPS[0])[1]
        size = (found[mode][-1][1] - short) / (STEPS[1] - STEPS[0])
        added = 100 * (statistics.median(each[0] for each in found[mode]) / bare - 1)
        print(f"{mode}: {added:+.0f} %, {size:.0f} bytes of log a step")


if __name__ == "__main__":
    if sys.argv[1] == "steps":
        steps(int(sys.argv[2]))
    else:
        main(sys.argv[1], *map(int, sys.argv[2:]))
