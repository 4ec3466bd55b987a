"""A test framework for operators, as articles about pyACL show it: it copies inputs to the device and never releases them there."""

import acl


class Framework:
    def __init__(self, device=0):
        self.device = device
        self.check(acl.init())
        self.check(acl.rt.set_device(device))
        self.stream, ret = acl.rt.create_stream()
        self.check(ret)

    @staticmethod
    def check(ret):
        if ret != 0:
            raise RuntimeError("AscendCL answered %d" % ret)

    def to_device(self, data):
        pointer, ret = acl.rt.malloc(len(data), acl.ACL_MEM_MALLOC_HUGE_FIRST)  #:malloc
        self.check(ret)
        address = acl.util.bytes_to_ptr(data)
        self.check(acl.rt.memcpy(pointer, len(data), address, len(data), acl.ACL_MEMCPY_HOST_TO_DEVICE))
        return pointer

    def cleanup(self):
        acl.rt.destroy_stream(self.stream)
        acl.rt.reset_device(self.device)
        acl.finalize()


def test_add():
    framework = Framework()
    framework.to_device(b"a" * 4000)  #:first
    second = framework.to_device(b"b" * 5000)
    acl.rt.free(second)
    acl.rt.free(second)
    framework.cleanup()


test_add()  #:test
