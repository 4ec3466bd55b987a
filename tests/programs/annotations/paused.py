"""Started paused: only one step is recorded."""
import ctypes

import aclsan

acl = ctypes.CDLL("libascendcl.so")


def device(size):
    block = ctypes.c_void_p()
    assert acl.aclrtMalloc(ctypes.byref(block), ctypes.c_size_t(size), 0) == 0
    return block


@aclsan.recording()
def one_step():
    """Leaks 64 bytes that are seen, and 32 that are not."""
    device(64)
    with aclsan.paused():
        device(32)
    device(64)


assert acl.aclInit(None) + acl.aclrtSetDevice(0) == 0
weights = device(4096)
one_step()
device(128)
assert not aclsan.stop()
with aclsan.recording(), aclsan.recording():
    assert acl.aclrtFree(weights) == 0
assert aclsan.start() == (aclsan.interface() > 0) and not aclsan.start()
assert acl.aclrtResetDevice(0) + acl.aclFinalize() == 0
