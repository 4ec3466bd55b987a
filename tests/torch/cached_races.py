"""An offload loop: each layer's weights are copied on a side stream and used on another, in plans out of torch_npu's cache but for
the first. `.ci/torch_npu` looks at the report.

    cached_races.py --mistaken     without a wait for the copy
    cached_races.py --correct
"""

import sys

import torch
import torch_npu

LAYERS, STEPS = 2, 10


def forward(x, weights, side, waits):
    main = torch.npu.current_stream()
    for pinned in weights:
        side.wait_stream(main)
        with torch.npu.stream(side):
            weight = pinned.to("npu", non_blocking=True)
        if waits:
            main.wait_stream(side)
        weight.record_stream(main)
        x = torch.tanh(x @ weight)  # Reads what the side stream may not have copied yet.
    return x


def main():
    weights = [torch.randn(64, 64).pin_memory() for _ in range(LAYERS)]
    side = torch.npu.Stream()
    x = torch.randn(64, 64).npu()
    for _ in range(STEPS):
        x = forward(x, weights, side, "--correct" in sys.argv)
    torch.npu.synchronize()
    torch.npu.empty_cache()


if __name__ == "__main__":
    main()
