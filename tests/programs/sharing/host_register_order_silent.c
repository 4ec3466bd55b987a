// Registered, unregistered, released; a part of pinned memory is registered while other memory goes; refusals are the runtime's to tell.
#include "shared.h"

int main(void) {
    void *seen = NULL;
    begin();
    for (int step = 0; step < 2; step++) {
        char *block = pinned(65536), *other = pinned(65536), *own = pages(65536);
        MUST(aclrtHostRegisterV2(block, 65536, ACL_HOST_REG_MAPPED));
        MUST(aclrtHostGetDevicePointer(block, &seen, 0));
        MUST(aclrtHostRegister(own + 4096, 100, ACL_HOST_REGISTER_MAPPED, &seen));
        MUST(aclrtFreeHost(other));
        printf("%d\n", aclrtHostRegister(own + 4096, 100, ACL_HOST_REGISTER_MAPPED, &seen));
        MUST(aclrtHostUnregister(block));
        MUST(aclrtFreeHost(block));
        MUST(aclrtHostUnregister(own + 4096));
        munmap(own, 65536);
    }
    char local[64];
    printf("%d\n", aclrtHostUnregister(local));
    printf("%d\n", aclrtHostRegister(local, 0, ACL_HOST_REGISTER_MAPPED, &seen));
    end();
    return 0;
}
