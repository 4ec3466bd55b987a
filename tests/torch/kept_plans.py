"""The same operators again and again: torch_npu takes plans out of the cache, and numbers are the CPU's all the same.

Addresses change, since results of earlier rounds are kept; values change; and so do shapes, types and scalars, under keys of their own.
"""

import ctypes

import torch
import torch_npu


def round_of(index, device):
    x = torch.arange(12.0).reshape(3, 4).add(index).to(device)
    y = torch.linspace(-1, 1, 4).mul(index + 1).to(device)
    narrow = x[:, 1:3]
    where = torch.tensor([index % 3, 2]).to(device)
    z = x * 2 + y - 0.5
    z = torch.relu(z @ x.t()).sum(dim=index % 2)
    w = x.clone()
    w.mul_(3).add_(narrow.mean(), alpha=2 + index % 4)
    w[where] = -1.0
    return [
        z,
        w,
        torch.cat([narrow, narrow + index], dim=1),
        torch.softmax(y, 0),
        x[:, where],
        x.half() + index,
        torch.nn.functional.layer_norm(x, (4,)),
        torch.nonzero(x > 8),
        torch.where(x > 6, x, y),
        *torch._foreach_mul([x, y], [2.0, index]),
    ]


def main():
    reused = ctypes.CDLL("libnnopbase.so").aclsimPlansReused
    reused.restype = ctypes.c_uint64
    rounds, before = [], []
    for index in range(12):
        rounds.append(round_of(index, "npu:0"))
        torch.npu.synchronize()
        before.append(reused())
    # Nothing of a round was overwritten by a later one.
    for index, results in enumerate(rounds):
        for place, (one, other) in enumerate(zip(round_of(index, "cpu"), results, strict=True)):
            torch.testing.assert_close(other.cpu(), one, msg=lambda said: f"round {index}, result {place}: {said}")
    last = before[-1] - before[-2]
    assert before[0] < last and last > 10, before
    print(f"{before[-1]} plans came out of the cache, {last} of them in the last round")


main()
