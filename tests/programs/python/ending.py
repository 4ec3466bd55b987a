"""Calls while the interpreter ends: from an exit handler, from a finalizer, and from threads that outlive it."""
import atexit
import ctypes
import threading

acl = ctypes.CDLL("libascendcl.so")
acl.aclInit(None)
acl.aclrtSetDevice(0)


def allocate(size):
    block = ctypes.c_void_p()
    acl.aclrtMalloc(ctypes.byref(block), ctypes.c_size_t(size), 0)
    return block


class Last:
    def __init__(self):
        self.block = allocate(4001)
        self.free = acl.aclrtFree

    def __del__(self):
        self.free(self.block)


def at_exit():
    acl.aclrtFree(allocate(4002))


def for_ever():
    acl.aclrtSetDevice(0)
    begun.release()
    while True:
        acl.aclrtFree(allocate(4003))


last = Last()
last.itself = last
atexit.register(at_exit)
begun = threading.Semaphore(0)
for _ in range(2):
    threading.Thread(target=for_ever, daemon=True).start()
    begun.acquire()
print("ending")
