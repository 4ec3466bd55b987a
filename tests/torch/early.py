"""A custom operator frees its workspace when phase two has only queued it. `.ci/torch_npu` looks at the report.

    early.py --mistaken
    early.py --correct     waits for the stream first
"""

import ctypes
import sys

import torch
import torch_npu

acl = ctypes.CDLL("libascendcl.so")
operators = ctypes.CDLL("libopapi.so")
base = ctypes.CDLL("libnnopbase.so")
base.aclCreateTensor.restype = ctypes.c_void_p
FLOAT, ND, HUGE_FIRST = 0, 2, 0


def described(matrix):
    sizes = (ctypes.c_int64 * 2)(*matrix.shape)
    rank, none = ctypes.c_uint64(2), ctypes.c_void_p()
    data = ctypes.c_void_p(matrix.data_ptr())
    made = base.aclCreateTensor(sizes, rank, FLOAT, none, ctypes.c_int64(0), ND, sizes, rank, data)
    return ctypes.c_void_p(made)


@torch.library.custom_op("programs::product", mutates_args=("out",), device_types="npu")
def product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor, waits: bool) -> None:
    stream = torch.npu.current_stream()
    tensors = [described(each) for each in (a, b, out)]
    size, executor, workspace = ctypes.c_uint64(), ctypes.c_void_p(), ctypes.c_void_p()
    failed = operators.aclnnMatmulGetWorkspaceSize(*tensors, ctypes.c_int8(0), ctypes.byref(size), ctypes.byref(executor))
    assert not failed and size.value > 0
    assert acl.aclrtMalloc(ctypes.byref(workspace), ctypes.c_size_t(size.value), HUGE_FIRST) == 0
    assert operators.aclnnMatmul(workspace, size, executor, ctypes.c_void_p(stream.npu_stream)) == 0
    if waits:
        stream.synchronize()
    assert acl.aclrtFree(workspace) == 0
    for tensor in tensors:
        assert base.aclDestroyTensor(tensor) == 0


def main():
    a, b = torch.eye(32).npu(), torch.randn(32, 32).npu()
    out = torch.empty(32, 32, device="npu")
    torch.npu.synchronize()  # The operator is launched past torch_npu's queue.
    product(a, b, out, "--correct" in sys.argv)
    torch.npu.synchronize()
    assert torch.allclose(out, b) or "--mistaken" in sys.argv
    del a, b, out
    torch.npu.empty_cache()


if __name__ == "__main__":
    main()
