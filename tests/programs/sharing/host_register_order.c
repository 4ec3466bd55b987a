// Registered memory goes first: pinned memory by its release, pages by munmap. And an address off a page.
#include "shared.h"

int main(void) {
    void *seen = NULL;
    begin();
    char *block = pinned(65536);
    MUST(aclrtHostRegisterV2(block, 65536, ACL_HOST_REG_MAPPED));
    MUST(aclrtFreeHost(block));
    MUST(aclrtHostUnregister(block));

    char *own = pages(65536);
    MUST(aclrtHostRegister(own, 65536, ACL_HOST_REGISTER_MAPPED, &seen));
    munmap(own, 65536);
    MUST(aclrtHostUnregister(own));

    own = pages(65536);
    printf("%d\n", aclrtHostRegister(own + 64, 4096, ACL_HOST_REGISTER_MAPPED, &seen));
    MUST(aclrtHostRegister(own, 65536, ACL_HOST_REGISTER_MAPPED, &seen));
    MUST(aclrtHostUnregister(own));
    printf("%d\n", aclrtHostUnregister(own));
    munmap(own, 65536);
    end();
    return 0;
}
