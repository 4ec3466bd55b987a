"""Compares `aclsan plan` with torch_npu on random programs, each with settings of its own: what the cache says that it reserved and allocated at
most has to be what the model comes to, byte for byte, from a log or from the cache's own snapshot.

    plans.py ACLSAN COUNT [FIRST]"""

import json
import os
import subprocess
import sys
import tempfile

PROGRAM = os.path.join(os.path.dirname(__file__), "plan.py")
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


def peaks_of_program(aclsan, seed, settings, log, snapshot):
    """What torch_npu says, with the queue in each of its modes."""
    environment = dict(os.environ, PYTORCH_NPU_ALLOC_CONF=settings, TASK_QUEUE_ENABLE=str(seed % 3))
    program = [sys.executable, PROGRAM, str(seed), "400"] + ([snapshot] if snapshot else [])
    command = [aclsan, "run", "--simulate", "--set", "quiet=1", "-o", log, "--", *program]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    peaks = [line for line in run.stdout.splitlines() if line.startswith("peaks ")]
    assert peaks, run.stderr
    return tuple(map(int, peaks[0].split()[1:]))


def peaks_of_plan(aclsan, file, settings):
    command = [aclsan, "plan", "--json", f"--conf={settings}", file]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    plan = json.loads(run.stdout)
    assert plan["recorded"]["inexact"] == 0, plan
    return plan["reserved_peak"], plan["allocated_peak"]


def main():
    aclsan, count = sys.argv[1], int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    wrong = 0
    for seed in range(first, first + count):
        settings = SETTINGS[seed % len(SETTINGS)]
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log.aclsan")
            # A third by a snapshot, whose programs use blocks on other streams, too.
            snapshot = os.path.join(folder, "snapshot.pickle") if seed % 5 < 2 else None
            said = peaks_of_program(aclsan, seed, settings, log, snapshot)
            planned = peaks_of_plan(aclsan, snapshot or log, settings)
        if said != planned:
            wrong += 1
            kind = "snapshot" if snapshot else "log"
            print(f"seed {seed}, settings `{settings}`, {kind}: torch_npu says {said}, the plan {planned}")
    print(f"{count - wrong} of {count} random programs: reserved and allocated peaks as torch_npu says")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
