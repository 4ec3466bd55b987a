"""A leak in a child of each kind, and one here."""
import ctypes
import multiprocessing
import os
import sys


def allocate(size):
    acl = ctypes.CDLL("libascendcl.so")
    acl.aclInit(None)
    acl.aclrtSetDevice(0)
    acl.aclrtMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(size), 0)


def in_child(size):
    allocate(size)


if __name__ == "__main__":
    allocate(3000)
    for size, kind in enumerate(["fork", "spawn"], 3001):
        child = multiprocessing.get_context(kind).Process(target=in_child, args=(size,))
        child.start()
        child.join()
        print(kind, child.exitcode)
    sys.stdout.flush()
    if os.fork() == 0:
        in_child(3003)
        os._exit(0)
    os.wait()
