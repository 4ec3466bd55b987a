"""PyTorch's own tests of operators (OpInfo) on the simulator: the table of what is equal to the CPU's, and what is not.

    opinfo.py --table FILE [--types float32,int64] [--samples N] [--limit SECONDS] [--jobs N] [--names FILE] [NAME…]

Each operator runs in a process of its own, forked before the device is used, so that one that crashes or hangs takes nothing along.
A name is an OpInfo's, with its variant after a dot (`linalg.norm`, `div.floor_rounding`); all without names. Exits with 1 if an operator fails.
"""

import argparse
import gc
import json
import os
import select
import signal
import sys
import tempfile
import time

import torch
import torch_npu  # noqa: F401  It must be there before the processes fork.
from torch.testing._internal.common_methods_invocations import op_db

import opinfo_samples

# From the worst on: an operator's outcome is the worst of its samples.
OUTCOMES = "crashed hung failed stand-in refused differs on-cpu free near passed none".split()


def named(op):
    return op.name + ("." + op.variant_test_name if op.variant_test_name else "")


def why(details):
    """What is said first of the comparisons that decided the outcome."""
    return next((details[kind] for kind in ("crashed", "wrong") if kind in details), "")


def outcome_of(result):
    counts = result["counts"]
    if counts["wrong"]:
        return "failed"
    if counts["stand-in"]:
        return "stand-in"
    if counts["refused"]:
        return "refused"
    if counts["differs"]:
        return "differs"
    if result["fallen"]:
        return "on-cpu"
    if not any(counts[kind] for kind in ("same", "near", "free")):
        return "none"
    if counts["free"]:
        return "free"
    return "near" if counts["near"] else "passed"


def let_go():
    """Waits until nothing that was computed is left: the process ends without handlers, and a leak would be made of it.

    Autograd's threads drop the last gradients only after the caller has them; plans of Fourier transforms and pinned buffers stay in caches.
    """
    gc.collect()
    torch_npu.npu.backends.fft_plan_cache.clear()
    torch.npu.synchronize()
    until = time.monotonic() + 5
    while torch.npu.memory_allocated() and time.monotonic() < until:
        os.sched_yield()
    torch.npu.host_empty_cache()


class Run:
    """A process with one operator and one type, from one of its comparisons on."""

    def __init__(self, op, dtype, first, options):
        self.op, self.dtype, self.first, self.began = op, dtype, first, time.monotonic()
        self.output = tempfile.NamedTemporaryFile()
        self.pipe, end = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            os.close(self.pipe)
            self.work(end, options)
        os.close(end)

    def work(self, end, options):
        """In the child: never returns."""
        log = os.open(self.output.name, os.O_RDWR | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        try:
            torch.set_num_threads(1)
            result = opinfo_samples.Case(self.op, self.dtype, options.samples).run(self.first)
            result["fallen"] = opinfo_samples.fallen_back()
            let_go()
            os.write(end, json.dumps(result).encode())
        except BaseException as error:
            os.write(end, json.dumps({"error": f"{type(error).__name__}: {error}"[:600]}).encode())
        finally:
            os._exit(0)

    def result(self, is_hung):
        """What the process found, once its pipe is closed or its time is up."""
        text = b""
        if is_hung:
            os.kill(self.child, signal.SIGKILL)
        while not is_hung and (part := os.read(self.pipe, 1 << 16)):
            text += part
        os.close(self.pipe)
        _, status = os.waitpid(self.child, 0)
        seconds = round(time.monotonic() - self.began, 2)
        result = json.loads(text) if text else {}
        if is_hung:
            return {"outcome": "hung", "seconds": seconds}
        if "counts" in result:
            return result | {"seconds": seconds}
        last = self.output.read().decode(errors="replace").strip().splitlines()[-3:]
        return {"outcome": "crashed", "seconds": seconds, "details": {"crashed": result.get("error") or f"status {status}: {' '.join(last)[-500:]}"}}


def joined(one, other):
    """The result of a process and that of the one which continued its work."""
    if one is None or "counts" not in other:
        return other
    counts = {kind: count + other["counts"][kind] for kind, count in one["counts"].items()}
    return other | {
        "counts": counts,
        "details": other["details"] | one["details"],
        "fallen": sorted({*one["fallen"], *other["fallen"]}),
        "seconds": round(one["seconds"] + other["seconds"], 2),
    }


def rows(work, options):
    work, running, found = [(op, dtype, 0) for op, dtype in work], {}, {}
    while work or running:
        while work and len(running) < options.jobs:
            run = Run(*work.pop(0), options)
            running[run.pipe] = run
        ready, _, _ = select.select(list(running), [], [], 0.5)
        now = time.monotonic()
        late = [pipe for pipe, run in running.items() if now - run.began > options.limit and pipe not in ready]
        for pipe in [*ready, *late]:
            run = running.pop(pipe)
            key = named(run.op), str(run.dtype).removeprefix("torch.")
            result = joined(found.pop(key, None), run.result(pipe in late))
            if result.get("next"):
                found[key] = result
                work.insert(0, (run.op, run.dtype, result["next"]))
                continue
            yield {"operator": key[0], "type": key[1], "outcome": result.get("outcome") or outcome_of(result)} | result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", required=True)
    parser.add_argument("--types", default="float32")
    parser.add_argument("--samples", type=int, default=24)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--names", dest="list", help="a file with a name on each line; # begins a comment")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.list:
        with open(options.list) as lines:
            options.names += [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    every = {named(op): op for op in op_db}
    unknown = [name for name in options.names if name not in every]
    if unknown:
        parser.error(f"no OpInfo has the name {unknown[0]!r}")
    types = [getattr(torch, name) for name in options.types.split(",")]
    chosen = [every[name] for name in options.names or every]
    work = [(op, dtype) for dtype in types for op in chosen if dtype in op.supported_dtypes("cpu")]
    totals = {dtype: dict.fromkeys(OUTCOMES, 0) for dtype in options.types.split(",")}
    with open(options.table, "w") as table:
        for row in rows(work, options):
            totals[row["type"]][row["outcome"]] += 1
            table.write(json.dumps(row) + "\n")
            table.flush()
            if row["outcome"] in ("failed", "crashed", "hung"):
                print(f"{row['operator']} ({row['type']}) {row['outcome']}: {why(row.get('details', {}))[:300]}", flush=True)
    print(f"torch {torch.__version__}, torch_npu {torch_npu.__version__}")
    for name, counts in totals.items():
        print(f"{name}: {sum(counts.values())} operators;", ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count))
    sys.exit(any(counts[bad] for counts in totals.values() for bad in OUTCOMES[:3]))


if __name__ == "__main__":
    main()
