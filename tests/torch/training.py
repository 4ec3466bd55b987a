"""What training programs do around a model: autocast with scaled gradients, loader workers with pinned memory, checkpoints.

Losses on the NPU must be the CPU's: within a thousandth in single precision, within a step of the type where a type rounds.
"""

import torch
import torch_npu
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset

import models


def worst(one, other):
    return max(abs(a - b) / abs(a) for a, b in zip(one, other, strict=True))


def autocast(device, kind, steps=20):
    model, x, y, loss_of = models.task("mlp")
    model, x, y = model.to(device), x.to(device), y.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scaler = torch.amp.GradScaler(device, init_scale=256.0, growth_interval=8)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        with torch.autocast(device, dtype=kind):
            out = model(x)
            loss = loss_of(out.float(), y)
        assert out.dtype == kind
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    assert scaler.get_scale() == 256.0 * 4
    return losses


def overflow():
    """Steps whose gradients overflow are skipped, and the scale is halved."""
    model, x, y, loss_of = models.task("mlp")
    model, x, y = model.npu(), x.npu(), y.npu()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("npu", init_scale=2.0**40)
    before = [weight.detach().clone() for weight in model.parameters()]
    with torch.autocast("npu", dtype=torch.float16):
        loss = loss_of(model(x), y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 2.0**39, scaler.get_scale()
    assert all(torch.equal(one, other) for one, other in zip(before, model.parameters()))


def loaded(device, epochs=2):
    model, _, _, loss_of = models.task("mlp")
    model = model.to(device)
    data = TensorDataset(torch.randn(96, 16), torch.randint(0, 10, (96,)))
    batches = DataLoader(data, batch_size=16, num_workers=2, pin_memory=device != "cpu", persistent_workers=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(epochs):
        for x, y in batches:
            assert x.is_pinned() == (device != "cpu")
            optimizer.zero_grad()
            loss = loss_of(model(x.to(device, non_blocking=True)), y.to(device, non_blocking=True))
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


def checkpointed(device, is_reentrant, steps=10):
    model, x, y, loss_of = models.task("gpt")
    model, x, y = model.to(device), x.to(device), y.to(device)
    places = torch.arange(x.shape[1], device=device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        inner = model.words(x) + model.places(places)
        for block in model.blocks:
            inner = checkpoint(block, inner, use_reentrant=is_reentrant)
        loss = loss_of(model.head(model.last(inner)), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def compare(name, function, arguments, limit):
    found = worst(function("cpu", *arguments), function("npu", *arguments))
    print(f"{name}: differs by {found:.1e} at most")
    assert found < limit, name


def main():
    compare("autocast, float16", autocast, (torch.float16,), 2e-3)
    compare("autocast, bfloat16", autocast, (torch.bfloat16,), 1e-2)
    overflow()
    compare("two workers, pinned", loaded, (), 1e-3)
    compare("checkpoints, reentrant", checkpointed, (True,), 1e-3)
    compare("checkpoints", checkpointed, (False,), 1e-3)
    torch.npu.synchronize()
    torch.npu.empty_cache()


if __name__ == "__main__":
    main()
