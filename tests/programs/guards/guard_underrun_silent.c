//@ options: guard=both
// Whole blocks are written, their first and last bytes too, and the runtime is asked about them by every call that knows a block's start.
#include "../rt.h"

static void tell(const char *what, char *block, size_t alignment) {
    void *base = NULL;
    size_t size = 0;
    aclrtPtrAttributes attributes;
    MUST(aclrtMemGetAddressRange(block + 10, &base, &size));
    MUST(aclrtPointerGetAttributes(block, &attributes));
    printf("%s: starts %d, %zu, aligned %d, location %d %u, pages of %u\n", what, base == block, size,
           (uintptr_t)block % alignment == 0, attributes.location.type, attributes.location.id, attributes.pageSize);
}

int main(void) {
    begin();
    MUST(aclrtFree(device(64)));
    char *small = device(1000), *page = device(4064), *large = device(3 << 20), *host = pinned(8192), *picture = dvpp(100);
    void *huge = NULL, *normal = NULL, *managed = NULL;
    MUST(aclrtMalloc(&huge, 64, ACL_MEM_MALLOC_HUGE_ONLY));
    MUST(aclrtMalloc(&normal, 3 << 20, ACL_MEM_MALLOC_NORMAL_ONLY));
    MUST(aclrtMemAllocManaged(&managed, 4096, ACL_RT_MEM_ATTACH_GLOBAL));
    tell("small", small, 512), tell("page", page, 512), tell("large", large, 2 << 20), tell("host", host, 512);
    tell("picture", picture, 512), tell("huge", huge, 2 << 20), tell("normal", normal, 512), tell("managed", managed, 2 << 20);
    MUST(aclrtMemset(small, 1000, 1, 1000));
    MUST(aclrtMemset(large, 3 << 20, 1, 3 << 20));
    memset(host, 1, 8192);
    // Registered as the program knows it, and seen by devices at the same distance.
    void *seen = NULL, *further = NULL;
    MUST(aclrtHostRegister(host, 8192, ACL_HOST_REGISTER_MAPPED, &seen));
    MUST(aclrtHostGetDevicePointer(host + 100, &further, 0));
    printf("registered: %d\n", (char *)further - (char *)seen == 100);
    MUST(aclrtHostUnregister(host));
    // Shared by a key, which wants the start of a page: the first small block has it by chance.
    char key[65];
    MUST(aclrtIpcMemGetExportKey(large, 3 << 20, key, sizeof key, 0));
    MUST(aclrtIpcMemClose(key));
    // A descriptor returns the values that it was given.
    aclDataBuffer *buffer = aclCreateDataBuffer(small, 1000);
    printf("descriptor: %d\n", aclGetDataBufferAddr(buffer) == small);
    MUST(aclDestroyDataBuffer(buffer));
    MUST(aclrtFree(small));
    MUST(aclrtFree(page));
    MUST(aclrtFree(large));
    MUST(aclrtFree(huge));
    MUST(aclrtFree(normal));
    MUST(aclrtFree(managed));
    MUST(aclrtFreeHostWithDevSync(host));
    MUST(acldvppFree(picture));
    end();
    return 0;
}
