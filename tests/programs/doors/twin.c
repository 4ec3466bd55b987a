//@ flags: -L{split} -lacl_rt_impl -Wl,--allow-shlib-undefined
// The second names, which CANN 8.5 calls through the first, are called by a program itself.
#include "door.h"

aclError aclInitImpl(const char *);
aclError aclrtSetDeviceImpl(int32_t);
aclError aclrtMallocImpl(void **, size_t, aclrtMemMallocPolicy);
aclError aclrtFreeImpl(void *);
aclError aclrtResetDeviceImpl(int32_t);
aclError aclFinalizeImpl(void);

int main(void) {
    struct acl acl = {aclInitImpl, aclrtSetDeviceImpl, aclrtMallocImpl, aclrtFreeImpl, aclrtResetDeviceImpl, aclFinalizeImpl};
    return use(&acl);
}
