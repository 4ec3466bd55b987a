// What devices see of registered memory is given to a copy, to an asynchronous one, and to a fill.
#include "shared.h"

int main(void) {
    void *view = NULL;
    begin();
    char *host = pages(65536), *rows = device(4096), *seen;
    MUST(aclrtHostRegister(host, 65536, ACL_HOST_REGISTER_MAPPED, &view));
    seen = view;
    printf("%d\n", aclrtMemcpy(rows, 4096, seen + 128, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
    MUST(aclrtHostUnregister(host));
    MUST(aclrtHostRegisterV2(host, 65536, ACL_HOST_REG_MAPPED));
    MUST(aclrtHostGetDevicePointer(host + 4096, &view, 0));
    seen = view;
    printf("%d\n", aclrtMemcpyAsync(seen, 64, rows, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
    printf("%d\n", aclrtSynchronizeStream(NULL));
    printf("%d\n", aclrtMemset(seen - 4096, 64, 0, 64));
    MUST(aclrtHostUnregister(host));
    munmap(host, 65536);
    MUST(aclrtFree(rows));
    end();
    return 0;
}
