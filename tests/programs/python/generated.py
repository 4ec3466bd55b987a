"""Functions that are made, called and freed, so that each code object reuses the address of the last one."""
import ctypes

acl = ctypes.CDLL("libascendcl.so")
acl.aclInit(None)
acl.aclrtSetDevice(0)


def allocate(size):
    acl.aclrtMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(size), 0)


addresses = set()
for number in range(50):
    names = {"allocate": allocate}
    exec(f"def made_{number:02}():\n    allocate({2000 + number})\n", names)
    made = names.pop(f"made_{number:02}")
    addresses.add(id(made.__code__))
    made()
    del made, names
print("reused" if len(addresses) < 50 else "not reused")
