// The runtime describes a block as it does without guards.
#include "../rt.h"

static void tell(char *block) {
    void *base = NULL;
    size_t size = 0;
    aclrtPtrAttributes attributes;
    MUST(aclrtMemGetAddressRange(block + 10, &base, &size));
    MUST(aclrtPointerGetAttributes(block + 10, &attributes));
    printf("%d %zu, location %d %u, pages of %u\n", base == block, size, attributes.location.type, attributes.location.id,
           attributes.pageSize);
}

int main(void) {
    begin();
    MUST(aclrtFree(device(64))); // a guard needs a machine that is known
    char *small = device(1000), *exact = device(1024), *large = device(3 << 20), *host = pinned(1000), *picture = dvpp(100);
    tell(small), tell(exact), tell(large), tell(host), tell(picture);
    MUST(aclrtFree(small));
    MUST(aclrtFree(exact));
    MUST(aclrtFree(large));
    MUST(aclrtFreeHost(host));
    MUST(acldvppFree(picture));
    // A released block is unknown.
    aclrtPtrAttributes attributes;
    void *base;
    size_t size;
    MUST(aclrtPointerGetAttributes(small, &attributes));
    printf("%d %d\n", aclrtMemGetAddressRange(small, &base, &size), attributes.location.type);
    end();
    return 0;
}
