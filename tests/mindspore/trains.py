"""MindSpore in PyNative mode: single operators, and a network of two layers whose losses are those of the same steps in NumPy."""

import sys

import mindspore
import numpy
from mindspore import Parameter, Tensor, mint, nn

RATE = 0.1


class Layers(nn.Cell):
    def __init__(self, weights):
        super().__init__()
        self.first, self.bias, self.second, self.other = (
            Parameter(Tensor(value), name=f"w{at}") for at, value in enumerate(weights)
        )

    def construct(self, x):
        hidden = mint.nn.functional.relu(mint.nn.functional.linear(x, self.first, self.bias))
        return mint.nn.functional.linear(hidden, self.second, self.other)


def on_npu(weights, x, y, steps):
    net = Layers(weights)
    x, y = Tensor(x), Tensor(y)

    def loss_of(x, y):
        difference = net(x) - y
        return mint.mean(difference * difference)

    optimizer = mint.optim.SGD(net.trainable_params(), lr=RATE)
    step = mindspore.value_and_grad(loss_of, None, net.trainable_params())
    losses = []
    for _ in range(steps):
        loss, gradients = step(x, y)
        optimizer(gradients)
        losses.append(float(loss.asnumpy()))
    return losses


def in_numpy(weights, x, y, steps):
    first, bias, second, other = (value.astype(numpy.float64) for value in weights)
    losses = []
    for _ in range(steps):
        before = x @ first.T + bias
        hidden = numpy.maximum(before, 0)
        difference = hidden @ second.T + other - y
        losses.append(float((difference**2).mean()))
        back = 2 * difference / difference.size
        through = (back @ second) * (before > 0)
        second -= RATE * back.T @ hidden
        other -= RATE * back.sum(0)
        first -= RATE * through.T @ x
        bias -= RATE * through.sum(0)
    return losses


def main():
    mindspore.set_device("Ascend")
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    values = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    a, b = Tensor(values), Tensor(numpy.ones((2, 3), numpy.float32))
    assert ((a + b).asnumpy() == values + 1).all()
    assert (mint.matmul(a, b.T).asnumpy() == values @ numpy.ones((3, 2))).all()

    random = numpy.random.RandomState(0)
    shapes = ((16, 8), (16,), (4, 16), (4,))
    weights = [random.randn(*shape).astype(numpy.float32) * 0.3 for shape in shapes]
    x, y = random.randn(10, 8).astype(numpy.float32), random.randn(10, 4).astype(numpy.float32)
    ours, theirs = on_npu(weights, x, y, 10), in_numpy(weights, x, y, 10)
    worst = max(abs(one - other) / other for one, other in zip(ours, theirs, strict=True))
    print(f"two layers: from {ours[0]:.4f} to {ours[-1]:.4f}, differs by {worst:.1e} at most")
    assert worst < 1e-3 and ours[-1] < 0.7 * ours[0]


sys.exit(main())
