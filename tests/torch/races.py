"""Computes on a side stream and uses the result on another without waiting. `.ci/torch_npu` looks at the report.

    races.py --mistaken
    races.py --correct     with `wait_stream`
"""

import sys

import torch
import torch_npu


def scale(pinned, side, waits):
    with torch.npu.stream(side):
        x = pinned.to("npu", non_blocking=True)
    if waits:
        torch.npu.current_stream().wait_stream(side)
    y = x * 2  # Reads what the side stream may not have copied yet.
    x.record_stream(torch.npu.current_stream())
    return y


def main():
    pinned = torch.arange(4096.0).pin_memory()
    side = torch.npu.Stream()
    y = scale(pinned, side, "--correct" in sys.argv)
    torch.npu.synchronize()
    assert y.shape == pinned.shape
    torch.npu.empty_cache()


if __name__ == "__main__":
    main()
