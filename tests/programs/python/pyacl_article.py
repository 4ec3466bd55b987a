"""The test framework for operators of an article about aclnn's memory, in our words, with the mistakes that the article makes.

It takes a number: how many of them are put right, in the order in which they come up. Run with 0 it ends where the article's own code ends.

1. `acl.rt.create_stream` returns (stream, ret); the article takes (ret, stream).
2. There is no `acl.rt.malloc_type`: policies are numbers.
3. `acl.rt.malloc` returns (pointer, ret); the article takes (ret, pointer).
4. There is no `acl.rt.memcpy_kind`: kinds are numbers.
5. Nothing releases what was allocated on the device.
"""

import ctypes
import sys

import acl

RIGHT = int(sys.argv[1])


class Framework:
    def __init__(self, device):
        self.device = device
        self.stream = None
        ret = acl.init()
        if ret != 0:
            raise RuntimeError("no AscendCL: %d" % ret)
        ret = acl.rt.set_device(device)
        if ret != 0:
            acl.finalize()
            raise RuntimeError("no device: %d" % ret)
        if RIGHT >= 1:
            self.stream, ret = acl.rt.create_stream()
        else:
            ret, self.stream = acl.rt.create_stream()  #:stream
        if ret != 0:
            acl.rt.reset_device(device)
            acl.finalize()
            raise RuntimeError("no stream: %d" % ret)

    def to_device(self, data):
        size = ctypes.sizeof(data)
        policy = acl.ACL_MEM_MALLOC_HUGE_FIRST if RIGHT >= 2 else acl.rt.malloc_type.HUGE_FIRST
        if RIGHT >= 3:
            pointer, ret = acl.rt.malloc(size, policy)  #:malloc
        else:
            ret, pointer = acl.rt.malloc(size, policy)  #:swapped
        if ret != 0:
            raise RuntimeError("no memory: %d" % ret)
        kind = acl.ACL_MEMCPY_HOST_TO_DEVICE if RIGHT >= 4 else acl.rt.memcpy_kind.HOST_TO_DEVICE
        ret = acl.rt.memcpy(pointer, size, ctypes.addressof(data), size, kind)
        if ret != 0:
            acl.rt.free(pointer)
            raise RuntimeError("no copy: %d" % ret)
        return pointer

    def repeat(self, operator, *arguments):
        for _ in range(3):
            operator(*arguments)
        acl.rt.synchronize_stream(self.stream)
        for _ in range(10):
            operator(*arguments)
        acl.rt.synchronize_stream(self.stream)

    def holds(self, pointer, expected):
        found = type(expected)()
        size = ctypes.sizeof(found)
        ret = acl.rt.memcpy(ctypes.addressof(found), size, pointer, size, acl.ACL_MEMCPY_DEVICE_TO_HOST)
        if ret != 0:
            raise RuntimeError("no copy: %d" % ret)
        return bytes(found) == bytes(expected)

    def cleanup(self):
        if self.stream:
            acl.rt.destroy_stream(self.stream)
        acl.rt.reset_device(self.device)
        acl.finalize()


def test_fill():
    framework = Framework(0)  #:framework
    data = (ctypes.c_float * 1024)(*range(1024))
    pointer = framework.to_device(data)  #:test
    framework.repeat(acl.rt.memset_async, pointer, 4096, 0, 4096, framework.stream)
    print("holds: %d" % framework.holds(pointer, (ctypes.c_float * 1024)()))
    if RIGHT >= 5:
        acl.rt.free(pointer)
    framework.cleanup()


test_fill()  #:module
