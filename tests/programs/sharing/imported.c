// What goes for blocks goes for imports: overruns, use after the close and after the reset, the wrong release, one close too many.
#include "shared.h"

int main(void) {
    char key[65], host[128];
    begin();
    char *block = huge();
    export_key(block, key);
    char *seen = import_key(key);
    MUST(aclrtMemcpy(host, 128, seen + BYTES - 64, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("%d\n", aclrtMemcpy(host, 128, seen + BYTES - 64, 128, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("%d\n", aclrtMemset(seen + BYTES - 64, 65, 0, 65));
    printf("%d\n", aclrtFreeHost(seen));
    MUST(aclrtIpcMemClose(key));
    printf("%d\n", aclrtMemset(seen, 64, 0, 64));
    MUST(aclrtIpcMemClose(key));
    printf("%d\n", aclrtIpcMemClose(key));
    MUST(aclrtFree(block));

    block = huge();
    export_key(block, key);
    seen = import_key(key);
    MUST(aclrtResetDevice(0));
    MUST(aclrtSetDevice(0));
    printf("%d\n", aclrtMemset(seen, 64, 0, 64));
    end();
    return 0;
}
