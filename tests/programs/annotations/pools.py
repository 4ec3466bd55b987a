"""The Python counterpart of aclsan.h, with or without a shim."""
import ctypes

import aclsan

acl = ctypes.CDLL("libascendcl.so")


def device(size):
    block = ctypes.c_void_p()
    assert acl.aclrtMalloc(ctypes.byref(block), ctypes.c_size_t(size), 0) == 0
    return block


assert acl.aclInit(None) + acl.aclrtSetDevice(0) == 0
block = device(4096)
aclsan.name_block(block, "tensors \ud800\0")
with aclsan.pool("tensors", block, 4096, alignment=64) as pool:
    for step in range(2):
        aclsan.epoch(f"step {step}")
        pool.alloc(block.value + 128, 256)
        pool.free(block.value + 128)
    pool.alloc(block.value, 64, stream=ctypes.c_void_p(None))
kept = aclsan.Pool("kept")
kept.alloc(block.value + 1024, 64)
with aclsan.ignored():
    device(100)
aclsan.snapshot("end")
print(aclsan.check(), "changed")
assert acl.aclrtFree(block) + acl.aclrtResetDevice(0) + acl.aclFinalize() == 0
