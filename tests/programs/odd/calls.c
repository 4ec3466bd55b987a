// Calls of a runtime with odd answers, with impossible sizes. Returned memory is not accessed.
#include "odd.h"

static const size_t SIZES[] = {0, 1, 64, 4096, 1 << 20, (size_t)1 << 47, SIZE_MAX / 2, SIZE_MAX - 4096, SIZE_MAX - 1, SIZE_MAX};
enum { COUNT = sizeof SIZES / sizeof *SIZES };

static void blocks(int is_told) {
    for (int i = 0; i < COUNT; i++) {
        void *block = UNTOUCHED, *host = UNTOUCHED;
        int device_status = aclrtMalloc(&block, SIZES[i], ACL_MEM_MALLOC_HUGE_FIRST);
        const char *block_kind = kind_of(block);
        int host_status = aclrtMallocHost(&host, SIZES[i]);
        if (is_told) {
            printf("%zu: %d %s, %d %s\n", SIZES[i], device_status, block_kind, host_status, kind_of(host));
        }
        int copied = aclrtMemcpy(block, SIZES[i], host, SIZES[i], ACL_MEMCPY_HOST_TO_DEVICE);
        int filled = aclrtMemset(block, SIZES[i], 0, SIZES[i]);
        int queued = aclrtMemcpyAsync(host, SIZES[i], block, SIZES[i], ACL_MEMCPY_DEVICE_TO_HOST, NULL);
        if (is_told) {
            printf("%d %d %d\n", copied, filled, queued);
        }
        if (i % 2 == 0) { // The others stay.
            int freed = aclrtFree(block), host_freed = aclrtFreeHost(host), again = aclrtFree(block);
            if (is_told) {
                printf("%d %d %d\n", freed, host_freed, again);
            }
        }
    }
}

static void handles(void) {
    void *range = UNTOUCHED, *physical = UNTOUCHED, *block = UNTOUCHED, *import = UNTOUCHED;
    aclrtStream stream = UNTOUCHED;
    aclrtEvent event = UNTOUCHED;
    size_t free_bytes = 0, total = 0;
    printf("%d", aclrtCreateStream(&stream));
    printf(" %d", aclrtCreateEvent(&event));
    printf(" %d", aclrtSynchronizeStream(stream));
    printf(" %d %d\n", aclrtDestroyEvent(event), aclrtDestroyStream(stream));
    printf("%d\n", aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    printf("%d", aclrtReserveMemAddress(&range, SIZE_MAX, 0, NULL, 0));
    printf(" %d", aclrtMallocPhysical(&physical, SIZE_MAX, NULL, 0));
    printf(" %d", aclrtMapMem(range, SIZE_MAX, 0, physical, 0));
    printf(" %d", aclrtMemcpy(range, SIZE_MAX, range, SIZE_MAX, ACL_MEMCPY_DEVICE_TO_DEVICE));
    printf(" %d", aclrtUnmapMem(range));
    printf(" %d %d\n", aclrtFreePhysical(physical), aclrtReleaseMemAddress(range));
    // The key ends where the page does.
    char *pages = mmap(NULL, 1 << 17, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + (1 << 16), 1 << 16, PROT_NONE);
    printf("%d", aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    printf(" %d", aclrtIpcMemGetExportKey(block, 64, pages + (1 << 16) - 65, 65, 0));
    printf(" %d", aclrtIpcMemImportByKey(&import, "key", 0));
    printf(" %d\n", aclrtIpcMemClose("key"));
}

int main(int argc, char **argv) {
    (void)argv;
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    printf("%d %d\n", aclInit(NULL), aclrtSetDevice(argc > 1 ? 2147483647 : 0));
    blocks(1);
    handles();
    blocks(0); // Once more, while much is live.
    printf("%d %d\n", aclrtResetDevice(0), aclFinalize());
    return 0;
}
