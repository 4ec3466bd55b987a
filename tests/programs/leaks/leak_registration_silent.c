// Registered and unregistered, exported and closed, imported and closed, twice over the same memory.
#include "../sharing/shared.h"

int main(void) {
    char key[65];
    begin();
    char *own = pages(65536), *block = huge();
    void *seen = NULL;
    for (int step = 0; step < 2; step++) {
        MUST(aclrtHostRegister(own, 65536, ACL_HOST_REGISTER_MAPPED, &seen));
        MUST(aclrtHostUnregister(own));
        export_key(block, key);
        import_key(key);
        MUST(aclrtIpcMemClose(key));
        MUST(aclrtIpcMemClose(key));
    }
    MUST(aclrtFree(block));
    munmap(own, 65536);
    end();
    return 0;
}
