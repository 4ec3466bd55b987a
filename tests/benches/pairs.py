"""Pairs of an allocation and a release through ctypes, ten Python frames deep. Prints nanoseconds of thread-CPU time a pair."""
import ctypes
import sys
import time

acl = ctypes.CDLL("libascendcl.so")
acl.aclrtSetDevice(0)
block = ctypes.c_void_p()
where, size = ctypes.byref(block), ctypes.c_size_t(4096)


def pairs(steps, allocate=acl.aclrtMalloc, release=acl.aclrtFree):
    for _ in range(steps):
        allocate(where, size, 0)
        release(block)


def deeper(depth, steps):
    return pairs(steps) if depth == 0 else deeper(depth - 1, steps)


steps = int(sys.argv[1])
deeper(7, steps // 10)
begun = time.thread_time_ns()
deeper(7, steps)
print((time.thread_time_ns() - begun) / steps)
