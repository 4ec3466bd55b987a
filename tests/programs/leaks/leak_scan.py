"""A script that keeps one buffer to its end, and loses three."""

import ctypes

acl = ctypes.CDLL("libascendcl.so")
KEPT = []


def allocate(size):
    block = ctypes.c_void_p()
    assert acl.aclrtMalloc(ctypes.byref(block), ctypes.c_size_t(size), 0) == 0
    return block


def lose():
    for _ in range(3):
        block = allocate(64)
        block.value = 0


assert acl.aclInit(None) == 0
assert acl.aclrtSetDevice(0) == 0
for _ in range(2):
    KEPT.append(allocate(1000))
lose()
