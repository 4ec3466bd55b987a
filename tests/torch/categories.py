"""Trains a small model with `aclsan.torch`, which says what its memory is for. `.ci/torch_npu` looks at the report."""

import torch
import torch_npu

import aclsan.torch


def main():
    torch.manual_seed(0)
    layers = [torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 8)]
    model = torch.nn.Sequential(*layers).npu()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 64).npu(), torch.randn(32, 8).npu()
    for _ in range(3):
        optimizer.zero_grad()
        ((model(x) - y) ** 2).mean().backward()
        optimizer.step()
    torch.npu.synchronize()


if __name__ == "__main__":
    main()
    print("categories: ok")
