"""Operators one by one: results and gradients on the NPU must be the CPU's. Names what differs and what is a stand-in.

torch_npu 2.7.1 and 2.8.0 drop the form of `gelu` unless TORCH_NPU_USE_COMPATIBLE_IMPL is 1, on an NPU, too: with it, "tanh" is tried as well.
"""

import os
import sys

import torch
import torch_npu
from torch.nn import functional as F

ONE = "abs neg exp sin cos tanh sigmoid sqrt rsqrt log log2 log1p erf floor ceil round sign reciprocal relu square trunc frac expm1 atan"
TWO = "add sub mul div maximum minimum pow atan2 fmod remainder eq ne gt ge lt le"
ACTIVATIONS = "silu gelu leaky_relu hardtanh hardswish hardsigmoid softplus elu mish logsigmoid selu relu6 glu celu"
LOSSES = "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy_with_logits"
REDUCED = "sum mean prod var std logsumexp amax argmax cumsum softmax log_softmax sort"


def cases():
    """Names, functions, and their arguments."""
    r = torch.randn
    x, y, rows = r(4, 6), r(4, 6), torch.tensor([2, 0, 3])
    positive, classes, picture = x.abs() + 0.1, torch.tensor([1, 0, 5, 2]), r(2, 3, 8, 8)
    yield from ((name, getattr(torch, name), (positive,)) for name in ONE.split())
    yield from ((name, getattr(torch, name), (positive, y.abs() + 0.2)) for name in TWO.split())
    yield from ((name, getattr(F, name), (x,)) for name in ACTIVATIONS.split())
    yield from ((name, getattr(F, name), (x, torch.rand(4, 6))) for name in LOSSES.split())
    yield from ((name, lambda a, of=getattr(torch.Tensor, name): of(a, 1), (x,)) for name in REDUCED.split())
    yield "cross_entropy", F.cross_entropy, (x, classes)
    yield "matmul", torch.matmul, (r(3, 4, 5), r(5, 2))
    yield "baddbmm", torch.baddbmm, (r(3, 4, 2), r(3, 4, 5), r(3, 5, 2))
    yield "linear", F.linear, (r(3, 4, 5), r(6, 5), r(6))
    yield "cat", lambda a, b: torch.cat([a, b], 1), (x, y)
    yield "pad", lambda a: F.pad(a, (1, 2, -1, 1)), (x,)
    yield "roll", lambda a: a.roll(1, 1), (x,)
    yield "repeat", lambda a: a.repeat(2, 3), (x,)
    yield "tril", torch.tril, (x,)
    yield "where", lambda a, b: torch.where(a > 0, a, b), (x, y)
    yield "index", lambda a, i: a[i], (x, rows)
    yield "mask", lambda a: a[a > 0], (x,)
    yield "index_select", lambda a, i: a.index_select(0, i), (x, rows)
    yield "topk", lambda a: a.topk(2, 1), (x,)
    yield "layer_norm", lambda a, w, b: F.layer_norm(a, (6,), w, b), (x, r(6), r(6))
    yield "group_norm", lambda a, w: F.group_norm(a, 3, w), (r(2, 6, 4, 4), r(6))
    yield "batch_norm", lambda a, w: F.batch_norm(a, None, None, w, training=True), (picture, r(3))
    yield "conv1d", lambda a, w: F.conv1d(a, w, padding=1), (r(2, 3, 8), r(4, 3, 3))
    yield "conv2d", lambda a, w, b: F.conv2d(a, w, b, stride=2, padding=1), (picture, r(4, 3, 3, 3), r(4))
    yield "conv2d by groups", lambda a, w: F.conv2d(a, w, groups=3, dilation=2), (picture, r(6, 1, 3, 3))
    yield "conv_transpose2d", lambda a, w: F.conv_transpose2d(a, w, stride=2), (picture, r(3, 4, 3, 3))
    yield "max_pool2d", lambda a: F.max_pool2d(a, 3, 2, 1), (picture,)
    yield "avg_pool2d", lambda a: F.avg_pool2d(a, 3, 2, 1), (picture,)
    yield "adaptive_avg_pool2d", lambda a: F.adaptive_avg_pool2d(a, 3), (picture,)
    yield "embedding", lambda w, i: F.embedding(i, w), (x, rows)
    yield "attention", F.scaled_dot_product_attention, (r(2, 4, 8, 16), r(2, 4, 8, 16), r(2, 4, 8, 16))


    yield "npu_gelu, tanh", lambda a: (F if a.is_cpu else Npu).gelu(a, approximate="tanh"), (x,)
    if os.environ.get("TORCH_NPU_USE_COMPATIBLE_IMPL") == "1":
        yield "gelu, tanh", lambda a: F.gelu(a, approximate="tanh"), (x,)
    yield from divergences(x, y)
    yield from resized()
    yield from unique()


class Npu:
    gelu = torch_npu.npu_gelu


def divergences(x, y):
    """Their targets have gradients, too."""
    for how in ("batchmean", "sum", "none"):
        yield f"kl_div, {how}", lambda a, b, how=how: F.kl_div(a.log_softmax(1), b.softmax(1), reduction=how), (x, y)
    yield "kl_div of logarithms", lambda a, b: F.kl_div(a.log_softmax(1), b.log_softmax(1), reduction="sum", log_target=True), (x, y)


def resized():
    signal, picture, volume = torch.randn(2, 3, 7), torch.randn(2, 3, 8, 8), torch.randn(2, 2, 4, 5, 3)
    sizes = ({"scale_factor": 2}, {"scale_factor": 1.7}, {"size": (5, 11)})
    for size in sizes:
        for mode in ("nearest", "nearest-exact", "bilinear", "bicubic"):
            for aligned in (False, True) if mode.startswith("bi") else (None,):
                name = f"interpolate, {mode}, {size}, {aligned}"
                yield name, lambda a, m=mode, c=aligned, s=size: F.interpolate(a, mode=m, align_corners=c, **s), (picture,)
    for mode, given in (("nearest", signal), ("linear", signal), ("nearest", volume), ("trilinear", volume)):
        yield f"interpolate, {mode}, {given.dim()}", lambda a, m=mode: F.interpolate(a, scale_factor=2, mode=m), (given,)


def unique():
    """Sizes of results are known only afterwards."""
    numbers, rows = torch.tensor([3, 1, 3, 2, 1, 7, 7, 7, 0]), torch.tensor([[1, 2, 1], [0, 5, 0], [1, 2, 1]])
    asked = {"return_inverse": True, "return_counts": True}
    yield "unique", torch.unique, (numbers,)
    yield "unique, reals", lambda a: a.detach().unique(), (numbers / 2,)
    yield "unique with groups", lambda a: a.unique(**asked), (numbers,)
    yield "unique, large", lambda a: (a + (1 << 60)).unique(), (numbers,)
    for dim in (0, 1):
        yield f"unique along {dim}", lambda a, dim=dim: a.unique(dim=dim, **asked), (rows,)
    yield "unique_consecutive", lambda a: a.unique_consecutive(**asked), (numbers,)
    yield "unique_consecutive along 1", lambda a: a.unique_consecutive(dim=1, **asked), (rows,)


def answers(function, arguments, device):
    """Results and gradients."""
    given = [a.clone().to(device).requires_grad_(a.is_floating_point()) for a in arguments]
    results = function(*given)
    results = results if isinstance(results, tuple) else (results,)
    for result in results:
        if result.requires_grad:
            scale = torch.arange(1.0, result.numel() + 1, device=device).view(result.shape) / result.numel()
            (result * scale).sum().backward(retain_graph=True)
    return [t.detach().cpu() for t in results] + [a.grad.cpu() for a in given if a.grad is not None]


def main():
    torch.manual_seed(0)
    failed, count = [], 0
    for name, function, arguments in cases():
        count += 1
        try:
            for one, other in zip(answers(function, arguments, "cpu"), answers(function, arguments, "npu:0")):
                torch.testing.assert_close(other, one, rtol=2e-4, atol=2e-4, equal_nan=True)
        except (AssertionError, RuntimeError) as why:
            failed.append(f"{name}: {str(why).splitlines()[0]}")
    print(f"{count} operators, {len(failed)} failed")
    torch.npu.synchronize()
    torch.npu.empty_cache()
    return "\n".join(failed) or None


if __name__ == "__main__":
    sys.exit(main())
