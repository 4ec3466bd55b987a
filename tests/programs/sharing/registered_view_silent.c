// Device code takes the device's address, copies take the host's; after the unregistering both are unknown.
#include "shared.h"

int main(void) {
    void *view = NULL;
    begin();
    char *host = pages(65536), *rows = device(4096);
    MUST(aclrtHostRegister(host, 65536, ACL_HOST_REGISTER_MAPPED, &view));
    MUST(aclsimLaunchWrite(view, 4096, 1, NULL));
    MUST(aclrtSynchronizeStream(NULL));
    MUST(aclrtMemcpy(rows, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(host + 4096, 4096, rows, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtHostUnregister(host));
    printf("%d\n", aclrtMemcpy(rows, 4096, view, 64, ACL_MEMCPY_DEFAULT));
    munmap(host, 65536);
    MUST(aclrtFree(rows));
    end();
    return 0;
}
