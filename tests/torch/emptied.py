"""Keeps a tensor's address, as extensions do, and copies from it after the tensor and the cache are gone. `.ci/torch_npu` looks at the report.

    emptied.py --mistaken
    emptied.py --correct     copies while the tensor is there
"""

import ctypes
import sys

import torch
import torch_npu

DEVICE_TO_HOST = 2
acl = ctypes.CDLL("libascendcl.so")
acl.aclrtMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def fetch(address, size):
    """As an extension in C would."""
    into = ctypes.create_string_buffer(size)
    return acl.aclrtMemcpy(into, size, address, size, DEVICE_TO_HOST)


def main():
    x = torch.full((1 << 20,), 3.0).npu()
    torch.npu.synchronize()
    address = x.data_ptr()
    if "--correct" in sys.argv:
        assert fetch(address, 64) == 0
    del x
    torch.npu.empty_cache()
    if "--mistaken" in sys.argv:
        fetch(address, 64)  # The segment is the runtime's again.


if __name__ == "__main__":
    main()
