"""A custom operator writes whole vectors of 64 numbers, more than its tensor has room for. `.ci/torch_npu` looks at the report.

    overruns.py --mistaken
    overruns.py --correct     the tensor has room for whole vectors

Each tensor is a block of its own, with a guard, with PYTORCH_NO_NPU_MEMORY_CACHING=1.
"""

import ctypes
import sys

import torch
import torch_npu

LANES = 64
simulator = ctypes.CDLL("libascendcl.so")
simulator.aclsimLaunchWrite.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]


@torch.library.custom_op("programs::clear", mutates_args=("out",), device_types="npu")
def clear(out: torch.Tensor) -> None:
    vectors = -(-out.numel() // LANES)
    size = vectors * LANES * out.element_size()
    assert simulator.aclsimLaunchWrite(out.data_ptr(), size, 0, torch.npu.current_stream().npu_stream) == 0


def cleared(count):
    out = torch.ones(count, device="npu")
    torch.npu.synchronize()  # The kernel is launched past torch_npu's queue.
    clear(out)
    return out.sum().item()


def main():
    assert cleared(128 if "--correct" in sys.argv else 100) == 0


if __name__ == "__main__":
    main()
