// Writes up to the very last byte, by every writer, in every family and around every rounding.
#include "../rt.h"

int main(void) {
    static const size_t sizes[] = {1, 31, 32, 33, 63, 64, 100, 480, 512, 4096, 1048544, 1048576, 1048577, 3000000};
    begin();
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size = sizes[i];
        char *a = device(size), *b = dvpp(size), *c = pinned(size);
        MUST(aclsimLaunchWrite(a, size, 0x41, stream));
        MUST(aclsimLaunchWrite(b, size, 0x42, stream));
        MUST(aclrtSynchronizeStream(stream));
        memset(c, 0x43, size);
        MUST(aclrtMemcpy(a, size, c, size, ACL_MEMCPY_HOST_TO_DEVICE));
        MUST(aclrtFree(a));
        MUST(acldvppFree(b));
        MUST(aclrtFreeHost(c));
    }
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
