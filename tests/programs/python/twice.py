"""A block released twice."""
import ctypes

acl = ctypes.CDLL("libascendcl.so")
acl.aclInit(None)
acl.aclrtSetDevice(0)
block = ctypes.c_void_p()


def get():
    acl.aclrtMalloc(ctypes.byref(block), ctypes.c_size_t(4096), 0)


def give_back():
    acl.aclrtFree(block)  #:release


get()
give_back()
give_back()
