"""Trains small models on the CPU and on the NPU: their losses must be equal within a thousandth over 20 steps.

    trains.py [MODEL …]     of: mlp gpt resnet18
"""

import sys

import torch
import torch_npu

import models

OPTIMIZERS = {
    "sgd": lambda weights: torch.optim.SGD(weights, lr=0.02, momentum=0.9),
    "adam": lambda weights: torch.optim.Adam(weights, lr=1e-3),
    "adamw": lambda weights: torch.optim.AdamW(weights, lr=1e-3),
}
RUNS = {"mlp": ("sgd", "adam", "adamw"), "gpt": ("adamw",), "resnet18": ("sgd",)}


def losses(name, optimizer, device, steps=20):
    model, x, y, loss_of = models.task(name)
    model, x, y = model.to(device), x.to(device), y.to(device)
    optimizer = OPTIMIZERS[optimizer](model.parameters())
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def main(names):
    for name in names or RUNS:
        for optimizer in RUNS[name]:
            pairs = list(zip(losses(name, optimizer, "cpu"), losses(name, optimizer, "npu:0")))
            # Where a loss has nearly vanished, its first value is the scale.
            worst = max(abs(one - other) / max(abs(one), 0.01 * pairs[0][0]) for one, other in pairs)
            print(f"{name} {optimizer}: from {pairs[0][1]:.4f} to {pairs[-1][1]:.4f}, differs by {worst:.1e} at most")
            assert worst < 1e-3, (name, optimizer, pairs)
    torch.npu.synchronize()
    torch.npu.empty_cache()


if __name__ == "__main__":
    main(sys.argv[1:])
