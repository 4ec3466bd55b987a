"""Graphs of the whole program need the chip's compiler: MindSpore must say that, by an error of its own."""

import mindspore
import numpy
from mindspore import Tensor, ops

mindspore.set_device("Ascend")


@mindspore.jit(backend="GE")
def twice(x):
    return ops.add(x, x)


try:
    print(twice(Tensor(numpy.ones((2, 2), numpy.float32))).asnumpy())
except RuntimeError as error:
    print("refused:", str(error).splitlines()[0])
else:
    raise AssertionError("a graph ran")
