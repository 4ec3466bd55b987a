"""A custom operator writes one byte more than its tensor has. `.ci/torch_npu` looks at the report.

    exact.py --mistaken
    exact.py --correct     it writes the tensor's bytes

With CANN 9.1 or later torch_npu asks for no more than a tensor's bytes on an Ascend950, else for 32 more. Each tensor is a block of its own
with PYTORCH_NO_NPU_MEMORY_CACHING=1.
"""

import ctypes
import sys

import torch
import torch_npu

simulator = ctypes.CDLL("libascendcl.so")
simulator.aclsimLaunchWrite.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]


def cleared(count, beyond):
    out = torch.ones(count, device="npu")
    torch.npu.synchronize()  # The kernel is launched past torch_npu's queue.
    assert simulator.aclsimLaunchWrite(out.data_ptr(), out.nbytes + beyond, 0, torch.npu.current_stream().npu_stream) == 0
    return out.sum().item()


def main():
    assert cleared(100, 0 if "--correct" in sys.argv else 1) == 0


if __name__ == "__main__":
    main()
