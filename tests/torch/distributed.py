"""Trains on several NPUs, a process each, to the losses that one process on the CPU has with the whole batch.

    torchrun --nproc_per_node N distributed.py WHAT …

    collectives      what each collective of torch.distributed does to tensors
    ddp, fsdp        a perceptron and a GPT, with DistributedDataParallel and with FullyShardedDataParallel
    fully_shard      the same, with FSDP of tensors that are distributed
    leaks            trains; rank 1 keeps a tensor of each step
    dies             rank 1 is killed in the middle: the others end with an error
"""

import gc
import os
import signal
import sys

import torch
import torch_npu
from torch import distributed, nn
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

import models

kept = []


def step(model, optimizer, x, y, loss_of, keeps=False):
    optimizer.zero_grad()
    out = model(x)
    loss = loss_of(out, y)
    loss.backward()
    optimizer.step()
    if keeps:
        kept.append(out.detach().clone())  # The leak.
    return loss.detach()


def train(model, x, y, loss_of, steps=12):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return [step(model, optimizer, x, y, loss_of) for _ in range(steps)]


def shard(whole):
    count = len(whole) // distributed.get_world_size()
    return whole[distributed.get_rank() * count :][:count].npu()


def trains(name, wrap):
    model, x, y, loss_of = models.task(name)
    parallel, mine, wanted = wrap(models.task(name)[0].npu()), shard(x), shard(y)
    losses = train(parallel, mine, wanted, loss_of)
    for loss in losses:
        distributed.all_reduce(loss)
    losses = [loss.item() / distributed.get_world_size() for loss in losses]
    expected = [loss.item() for loss in train(model, x, y, loss_of)]
    worst = max(abs(a - b) / a for a, b in zip(expected, losses, strict=True))
    if distributed.get_rank() == 0:
        print(f"{name}: from {losses[0]:.4f} to {losses[-1]:.4f}, differs by {worst:.1e} at most")
    assert worst < 1e-3, (name, expected, losses)


def in_blocks(model):
    if isinstance(model, models.Gpt):
        for block in model.blocks:
            fully_shard(block)
    return fully_shard(model)


WRAPS = {
    "ddp": lambda model: DistributedDataParallel(model, device_ids=[torch.npu.current_device()]),
    "fsdp": lambda model: FullyShardedDataParallel(model, device_id=torch.npu.current_device(), use_orig_params=True),
    "fully_shard": in_blocks,
}


def collectives():
    rank, size = distributed.get_rank(), distributed.get_world_size()
    ranks = torch.arange(size, dtype=torch.float32)
    mine = torch.full((3,), float(rank), device="npu")
    all_of = lambda *values: torch.tensor(values, dtype=torch.float32).repeat_interleave(3)

    for kind in torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.uint8, torch.int8:
        one = torch.full((5,), rank + 1, device="npu", dtype=kind)
        distributed.all_reduce(one)
        assert (one.cpu() == size * (size + 1) // 2).all(), (kind, one)
    for op, value in ((distributed.ReduceOp.MAX, size - 1), (distributed.ReduceOp.MIN, 0), (distributed.ReduceOp.PRODUCT, 0)):
        one = mine.clone()
        distributed.all_reduce(one, op)
        assert (one.cpu() == value).all(), (op, one)

    one = mine.clone()
    distributed.broadcast(one, size - 1)
    assert (one.cpu() == size - 1).all()
    one = mine.clone()
    distributed.reduce(one, 0)
    assert rank != 0 or (one.cpu() == ranks.sum()).all()

    parts = [torch.empty_like(mine) for _ in range(size)]
    distributed.all_gather(parts, mine)
    assert (torch.cat(parts).cpu() == all_of(*ranks)).all()
    whole = torch.empty(3 * size, device="npu")
    distributed.all_gather_into_tensor(whole, mine)
    assert (whole.cpu() == all_of(*ranks)).all()
    distributed.reduce_scatter_tensor(one, whole)
    assert (one.cpu() == size * rank).all()
    distributed.scatter(one, [part * 2 for part in parts] if rank == 0 else None, 0)
    assert (one.cpu() == 2 * rank).all()

    numbers = torch.arange(size, device="npu", dtype=torch.float32) + 10 * rank
    out = torch.empty_like(numbers)
    distributed.all_to_all_single(out, numbers)
    assert (out.cpu() == ranks * 10 + rank).all()
    # To rank r go r + 1 elements.
    sent = torch.full((size * (size + 1) // 2,), float(rank), device="npu")
    out = torch.empty(size * (rank + 1), device="npu")
    distributed.all_to_all_single(out, sent, [rank + 1] * size, [r + 1 for r in range(size)])
    assert (out.cpu() == ranks.repeat_interleave(rank + 1)).all()

    if rank == 0:
        distributed.send(mine + 7, 1)
    elif rank == 1:
        distributed.recv(one, 0)
        assert (one.cpu() == 7).all()
    ring = [
        distributed.P2POp(distributed.isend, mine, (rank + 1) % size),
        distributed.P2POp(distributed.irecv, one, (rank - 1) % size),
    ]
    for work in distributed.batch_isend_irecv(ring):
        work.wait()
    assert (one.cpu() == (rank - 1) % size).all()

    pair = distributed.new_group([0, 1])
    if rank < 2:
        one = mine.clone()
        distributed.all_reduce(one, group=pair)
        assert (one.cpu() == 1).all()
    objects = [None] * size
    distributed.all_gather_object(objects, {"rank": rank})
    assert objects == [{"rank": r} for r in range(size)]
    distributed.barrier()


def leaks():
    """Rank 1 keeps what the model gave: 256 KiB a step."""
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 256)).npu()
    x, y = torch.randn(256, 64).npu(), torch.randn(256, 256).npu()
    model = WRAPS["ddp"](model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(60):
        step(model, optimizer, x, y, functional.mse_loss, keeps=distributed.get_rank() == 1).item()


def dies():
    one = torch.ones(4, device="npu")
    for step in range(4):
        if step == 2 and distributed.get_rank() == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        distributed.all_reduce(one)
        torch.npu.synchronize()


def main(names):
    torch.npu.set_device(int(os.environ["LOCAL_RANK"]))
    distributed.init_process_group("hccl")
    for name in names:
        if name in WRAPS:
            trains("mlp", WRAPS[name])
            trains("gpt", WRAPS[name])
        else:
            {"collectives": collectives, "leaks": leaks, "dies": dies}[name]()
    torch.npu.synchronize()
    distributed.destroy_process_group()
    # Modules of fully_shard are cycles of references. What is in them when the interpreter ends is never freed: gradients, for one.
    gc.collect()
    torch.npu.empty_cache()


if __name__ == "__main__":
    main(sys.argv[1:])
