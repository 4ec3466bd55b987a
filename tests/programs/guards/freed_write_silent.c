//@ options: quarantine_mb=1
// Blocks are allocated and released while some are quarantined: the program sees no difference, and quarantined memory is freed on shortage.
#include "../rt.h"

static size_t available(void) {
    size_t available = 0, total = 0;
    MUST(aclrtGetMemInfo(ACL_HBM_MEM, &available, &total));
    return available;
}

int main(void) {
    begin();
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    for (int i = 0; i < 100; i++) {
        size_t size = 1000 + 40000 * (i % 10);
        char *block = device(size), *staging = pinned(size), *picture = dvpp(size);
        MUST(aclsimLaunchWrite(block, size, 1, stream));
        MUST(aclrtMemcpyAsync(staging, size, block, size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        MUST(aclrtSynchronizeStream(stream));
        MUST(aclrtFree(block));
        MUST(aclrtFreeHost(staging));
        MUST(acldvppFree(picture));
    }
    char *large = device(3 << 20), *block = device(1000);
    MUST(aclrtFree(large)); // more than the quarantine holds
    MUST(aclrtFree(block));
    // A released block is unknown, quarantined or not.
    aclrtPtrAttributes attributes;
    void *base;
    size_t size;
    int range = aclrtMemGetAddressRange(block, &base, &size);
    MUST(aclrtPointerGetAttributes(block, &attributes));
    printf("%d %d\n", range, attributes.location.type);
    size_t before = available();
    char *rest = device(before - (64 << 20)); // nearly all there is
    MUST(aclrtFree(rest));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
