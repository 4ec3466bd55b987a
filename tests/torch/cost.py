"""What the shim adds to a step of a tiny perceptron: time, and bytes of its log.

    cost.py COMMAND [ROUNDS [SERIES]]     the `aclsan` command, of a release build
    cost.py --indices COMMAND [ROUNDS [SERIES]]     a classifier of words instead, with and without check_indices=1

In each series new processes, one without the shim and one for each mode, take turns of eight steps on one core, so that what slows the machine
down slows all of them. Where a process happens to lie in memory moves its steps by some percent for as long as it runs: a figure is the median
of the series, with the least and the largest, and each compares the medians of its own processes, since the next series may meet another load.
Times are processor time of all threads, so that waiting for each other does not count. `annotations` is without the shim, too, but torch_npu is
told to annotate its pool, as `aclsan run` tells it.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

INDICES = "--indices" in sys.argv
MODES = {"record": "mode=record", "check": "mode=check", "record, quiet": "mode=record:quiet=1"}
if INDICES:
    MODES = {"check": "mode=check", "check, indices": "mode=check:check_indices=1"}
TURN = 8
UNTIMED = 2
WARM_UP = 40
LOGS = Path("target/torch/logs")


def steps():
    """For each line read, takes a turn and prints a step's microseconds of processor time, of all threads.

    The first steps fill the caches again, which hold what the process before has used.
    """
    import torch
    import torch_npu
    from torch import nn

    if INDICES:
        model = nn.Sequential(nn.Embedding(100, 16), nn.Flatten(), nn.Linear(64, 10)).npu()
        x, y, loss = torch.randint(100, (8, 4)).npu(), torch.randint(10, (8,)).npu(), nn.functional.cross_entropy
    else:
        model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)).npu()
        x, y, loss = torch.randn(8, 16).npu(), torch.randn(8, 1).npu(), nn.functional.mse_loss
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)

    def step():
        optimizer.zero_grad()
        loss(model(x), y).backward()
        optimizer.step()

    for _ in sys.stdin:
        for _ in range(UNTIMED):
            step()
        torch.npu.synchronize()
        began = time.process_time_ns()
        for _ in range(TURN):
            step()
        torch.npu.synchronize()
        print((time.process_time_ns() - began) / (TURN * 1e3), flush=True)


def hook(command):
    """The empty library that makes torch_npu annotate its pool."""
    folder = subprocess.run([command, "simulator", "--libdir"], check=True, capture_output=True, text=True).stdout.strip()
    return f"{folder}/libascend_kernel_hook.so"


class Program:
    """A process that takes turns, and its logs."""

    def __init__(self, command, name, number, options):
        self.logs = LOGS / f"{name.replace(', ', '-')}-{number}"
        program = [sys.executable, __file__, "steps", *["--indices"] * INDICES]
        if options is None:
            setting = subprocess.run([command, "simulator", "--env"], check=True, capture_output=True, text=True).stdout
            if name == "annotations":
                setting += f'\nexport LD_PRELOAD="{hook(command)}"'
            program = ["bash", "-c", setting + '\nexec "$@"', "bash", *program]
        else:
            program = [command, "run", "--simulate", "--no-report", "-o", f"{self.logs}/", "--", *program]
        environment = os.environ | {"ACLSAN_OPTIONS": options or ""}
        self.process = subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        )

    def turn(self):
        """A step's microseconds in this turn."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args[0]} ended with {self.process.wait()}")
        return float(line)

    def log_bytes(self):
        """The disk's blocks: what is in use of the last segment of each thread does not depend on the number of steps."""
        return sum(log.stat().st_blocks * 512 for log in self.logs.glob("*.aclsan"))


def series(command, kinds, rounds, number):
    """Of new processes: the median of a step's microseconds for each kind, and the bytes of its log."""
    programs = {name: Program(command, name, number, options) for name, options in kinds.items()}
    for _ in range(WARM_UP):
        for program in programs.values():
            program.turn()
    before = {name: programs[name].log_bytes() for name in MODES}
    found = [{name: program.turn() for name, program in programs.items()} for _ in range(rounds)]
    size = {name: (programs[name].log_bytes() - before[name]) / (rounds * (UNTIMED + TURN)) for name in MODES}
    for program in programs.values():
        program.process.communicate()
    return {name: statistics.median(each[name] for each in found) for name in kinds}, size


def main(command, rounds=200, count=6):
    shutil.rmtree(LOGS, ignore_errors=True)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    kinds = {"bare": None, "annotations": None, **MODES}
    times, sizes = zip(*(series(command, kinds, rounds, number) for number in range(count)))
    print(f"{count} processes of each, {rounds} turns of {TURN} steps; alone, a step takes {statistics.median(each['bare'] for each in times):.0f} µs")
    for name in list(kinds)[1:]:
        added = sorted(100 * (each[name] / each["bare"] - 1) for each in times)
        log = f", {statistics.median(each[name] for each in sizes):.0f} bytes of log a step" if name in MODES else ""
        print(f"{name}: {statistics.median(added):+.1f} % ({added[0]:+.1f} to {added[-1]:+.1f}){log}")


if __name__ == "__main__":
    if sys.argv[1] == "steps":
        steps()
    else:
        command, *counts = [argument for argument in sys.argv[1:] if argument != "--indices"]
        main(command, *map(int, counts))
