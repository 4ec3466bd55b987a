"""A random program over torch_npu's cache: tensors of random sizes on a few streams, some of them used on another one, the cache emptied
now and then. Prints what the cache reserved and allocated at most.

    plan.py SEED STEPS [SNAPSHOT]

With SNAPSHOT, blocks are used on other streams, too, which a log does not show; the snapshot is written there."""

import random
import sys

import torch
import torch_npu  # noqa: F401

MIB = 1 << 20


def size(random_):
    """Bytes as programs have them: many small ones, some of several MiB, a few large ones."""
    kind = random_.random()
    if kind < 0.5:
        return random_.randrange(1, 64 * 1024)
    if kind < 0.8:
        return random_.randrange(MIB // 4, 3 * MIB)
    if kind < 0.97:
        return random_.randrange(2 * MIB, 24 * MIB)
    return random_.randrange(24 * MIB, 90 * MIB)


def main():
    seed, steps = int(sys.argv[1]), int(sys.argv[2])
    snapshot = sys.argv[3] if len(sys.argv) > 3 else None
    if snapshot:
        torch.npu.memory._record_memory_history(max_entries=1_000_000)
    random_ = random.Random(seed)
    streams = [torch.npu.current_stream()] + [torch.npu.Stream() for _ in range(seed % 3)]
    tensors = []
    for _ in range(steps):
        choice = random_.random()
        if choice < 0.55 or not tensors:
            with torch.npu.stream(random_.choice(streams)):
                tensors.append(torch.empty(size(random_), dtype=torch.uint8, device="npu").zero_())
            if snapshot and random_.random() < 0.2:
                tensors[-1].record_stream(random_.choice(streams))
        elif choice < 0.99:
            del tensors[random_.randrange(len(tensors))]
        else:
            torch.npu.empty_cache()
        if len(tensors) > 60:
            del tensors[: random_.randrange(30)]
    torch.npu.synchronize()
    if snapshot:
        torch.npu.memory._dump_snapshot(snapshot)
    print("peaks", torch.npu.max_memory_reserved(), torch.npu.max_memory_allocated())


if __name__ == "__main__":
    main()
