// The blocking form has no such duty, and memory that is not AscendCL's is staged anyway.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    static char table[1000];
    char *block = device(4096);
    MUST(aclrtMemcpy(block + 100, 1000, table + 1, 999, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpyAsync(block + 128, 1000, table + 1, 999, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtFree(block));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
