"""Ten pairs of an allocation and a release through ctypes."""
import ctypes

acl = ctypes.CDLL("libascendcl.so")
failed = acl.aclInit(None) + acl.aclrtSetDevice(0)
for _ in range(10):
    block = ctypes.c_void_p()
    failed += acl.aclrtMalloc(ctypes.byref(block), ctypes.c_size_t(4096), 0)
    failed += acl.aclrtFree(block)
failed += acl.aclrtResetDevice(0) + acl.aclFinalize()
print(f"10 pairs, {failed} failed, {hasattr(acl, 'aclrtNoSuchCall')}")
