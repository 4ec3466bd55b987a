"""Trains with a mistake: what each step adds to a list is never taken out. `.ci/torch_npu` looks at the report.

    keeps.py --mistaken
    keeps.py --correct     the same without the mistake
"""

import sys

import torch
import torch_npu

kept = []


def step(model, optimizer, x, y, keeps):
    optimizer.zero_grad()
    out = model(x)
    loss = ((out - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    if keeps:
        kept.append(out.detach().clone())  # The leak.
    return loss.item()


def main():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 256)).npu()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x, y = torch.randn(256, 64).npu(), torch.randn(256, 256).npu()
    for _ in range(60):
        step(model, optimizer, x, y, "--mistaken" in sys.argv)
    torch.npu.synchronize()


if __name__ == "__main__":
    main()
