// The overrun is ignored, and so is the damage that its release finds.
#include "../rt.h"
#include "aclsan.h"

int main(void) {
    begin();
    static char host[1064];
    char *block = device(1000);
    aclsan_ignore_begin();
    MUST(aclrtMemcpy(block, 1064, host, 1064, ACL_MEMCPY_HOST_TO_DEVICE));
    aclsan_ignore_end();
    MUST(aclrtFree(block));
    end();
    return 0;
}
