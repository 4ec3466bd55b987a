"""Compares `aclsan plan` with torch_npu on random programs, each with settings of its own: what the cache says that it reserved and allocated at
most has to be what the model comes to, byte for byte, from a log or from the cache's own snapshot.

    plans.py ACLSAN COUNT [FIRST]
    plans.py ACLSAN models          the programs that train and run models, with segments of both kinds"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "plan.py")
SETTINGS = [
    "",
    "expandable_segments:True",
    "max_split_size_mb:32",
    "max_split_size_mb:64,max_non_split_rounding_mb:40",
    "roundup_power2_divisions:4",
    "roundup_power2_divisions:[4:2,16:8,>:1]",
    "expandable_segments:True,segment_size_mb:64",
    "expandable_segments:True,base_addr_aligned_kb:0",
]


MODELS = ["trains.py mlp", "trains.py gpt", "training.py", "recurrent.py", "graphs.py"]
# Runs a program as it is, and asks the cache afterwards.
ASKS = """
import os, runpy, sys
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    import torch
    print("peaks", torch.npu.max_memory_reserved(), torch.npu.max_memory_allocated())
"""


def peaks_of_program(aclsan, program, settings, log, queue):
    """What torch_npu says."""
    environment = dict(os.environ, PYTORCH_NPU_ALLOC_CONF=settings, TASK_QUEUE_ENABLE=str(queue))
    python = os.path.abspath(sys.executable)
    command = [aclsan, "run", "--simulate", "--set", "quiet=1", "-o", log, "--", python, *program]
    # torch_npu writes files of its own where it runs.
    run = subprocess.run(command, env=environment, cwd=os.path.dirname(log), capture_output=True, text=True)
    peaks = [line for line in run.stdout.splitlines() if line.startswith("peaks ")]
    assert peaks, run.stderr
    return tuple(map(int, peaks[0].split()[1:]))


def peaks_of_plan(aclsan, file, settings):
    command = [aclsan, "plan", "--json", f"--conf={settings}", file]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    plan = json.loads(run.stdout)
    return plan["reserved_peak"], plan["allocated_peak"]


def programs(arguments):
    """Each with its settings, mode of the queue, and whether it writes a snapshot: (name, program, settings, queue, snapshot)."""
    if arguments[0] == "models":
        for model in MODELS:
            name, *words = model.split()
            path = os.path.join(HERE, name)
            for settings in SETTINGS[:2]:
                yield model, ["-c", ASKS, path, *words], settings, 1, False
        return
    first = int(arguments[1]) if len(arguments) > 1 else 1
    for seed in range(first, first + int(arguments[0])):
        # Two in five by a snapshot, whose programs use blocks on other streams, too.
        settings, is_snapshot = SETTINGS[seed % len(SETTINGS)], seed % 5 < 2
        yield f"seed {seed}", [PROGRAM, str(seed), "400"], settings, seed % 3, is_snapshot


def main():
    aclsan, count, wrong = os.path.abspath(sys.argv[1]), 0, 0
    for name, program, settings, queue, is_snapshot in programs(sys.argv[2:]):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log.aclsan")
            snapshot = [os.path.join(folder, "snapshot.pickle")] if is_snapshot else []
            said = peaks_of_program(aclsan, program + snapshot, settings, log, queue)
            planned = peaks_of_plan(aclsan, (snapshot or [log])[0], settings)
        count += 1
        if said != planned:
            wrong += 1
            kind = "snapshot" if is_snapshot else "log"
            print(f"{name}, settings `{settings}`, {kind}: torch_npu says {said}, the plan {planned}")
    print(f"{count - wrong} of {count} programs: reserved and allocated peaks as torch_npu says")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
