// The overrun is ignored, and so is the damage that the wait finds.
#include "../rt.h"
#include "aclsan.h"

int main(void) {
    begin();
    char *block = device(1000), *host = pinned(1120);
    aclsan_ignore_begin();
    MUST(aclrtMemcpyAsync(block, 1120, host, 1120, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
    aclsan_ignore_end();
    MUST(aclrtSynchronizeStream(NULL));
    MUST(aclrtFreeHost(host));
    MUST(aclrtFree(block));
    end();
    return 0;
}
