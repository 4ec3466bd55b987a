"""Reads where nothing is, in a function of ctypes, with Python's faulthandler from the start, from later on, or without it: the argument."""
import ctypes
import faulthandler
import sys

acl = ctypes.CDLL("libascendcl.so")
way = sys.argv[-1]


def begin():
    acl.aclInit(None)
    acl.aclrtSetDevice(0)
    block = ctypes.c_void_p()
    acl.aclrtMalloc(ctypes.byref(block), ctypes.c_size_t(5001), 0)


def crash():
    return ctypes.string_at(16)


if way == "early":
    faulthandler.enable(sys.stdout)
begin()
if way == "late":
    faulthandler.enable(sys.stdout)
crash()
