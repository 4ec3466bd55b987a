"""Sends two batches through one pinned buffer, and refills it while the first is still being copied. `.ci/torch_npu` looks at the report.

    refills.py --mistaken
    refills.py --correct     waits for the first copy
"""

import sys

import torch
import torch_npu


def send(buffer, batch):
    buffer.copy_(batch)
    return buffer.to("npu", non_blocking=True)


def main():
    batches = [torch.full((1 << 14,), float(number)) for number in range(2)]
    buffer = torch.empty_like(batches[0]).pin_memory()
    first = send(buffer, batches[0])
    if "--correct" in sys.argv:
        torch.npu.current_stream().synchronize()
    second = send(buffer, batches[1])  # The queue may not have sent the first one.
    torch.npu.synchronize()
    assert first.shape == second.shape
    del first, second, buffer
    torch.npu.empty_cache()


if __name__ == "__main__":
    main()
