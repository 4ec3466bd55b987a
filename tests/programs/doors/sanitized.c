// To be built with AddressSanitizer, which insists on being the first library, or with ThreadSanitizer. The argument selects the bug: `device`, `host`.
#include "door.h"
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *mistake = argc > 1 ? argv[1] : "none";
    struct acl acl = {aclInit, aclrtSetDevice, aclrtMalloc, aclrtFree, aclrtResetDevice, aclFinalize};
    char *volatile host = malloc(100);
    int status = use(&acl);
    if (strcmp(mistake, "device") == 0) {
        void *block = NULL;
        aclrtSetDevice(0);
        aclrtMalloc(&block, 100, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtFree(block);
        aclrtFree(block);
        aclrtResetDevice(0);
    }
    free(host);
    return strcmp(mistake, "host") == 0 ? host[5] : status;
}
