"""A random program over torch_npu's cache: tensors of random sizes on a few streams, some of them kept, the cache emptied now and then.
Prints what the cache reserved and allocated at most."""

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
    random_ = random.Random(seed)
    streams = [torch.npu.current_stream()] + [torch.npu.Stream() for _ in range(seed % 3)]
    tensors = []
    for _ in range(steps):
        choice = random_.random()
        if choice < 0.55 or not tensors:
            with torch.npu.stream(random_.choice(streams)):
                tensors.append(torch.empty(size(random_), dtype=torch.uint8, device="npu").zero_())
        elif choice < 0.99:
            del tensors[random_.randrange(len(tensors))]
        else:
            torch.npu.empty_cache()
        if len(tensors) > 60:
            del tensors[: random_.randrange(30)]
    torch.npu.synchronize()
    print("peaks", torch.npu.max_memory_reserved(), torch.npu.max_memory_allocated())


if __name__ == "__main__":
    main()
