// What a program can observe of its memory, printed: it must be the same with guards, fills and held blocks as without. With an argument
// also how much is taken, which held blocks change.
#include "../rt.h"

static size_t available(void) {
    size_t available = 0, total = 0;
    MUST(aclrtGetMemInfo(ACL_HBM_MEM, &available, &total));
    return available;
}

int main(int argc, char **argv) {
    static const size_t sizes[] = {1, 100, 1000, 3000, 1048000, 1048544, 1048576, 2097152, 5000000};
    void *block = NULL;
    begin();
    MUST(aclrtFree(device(64)));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t before = available();
        for (int policy = 0; policy < 6; policy++) {
            int status = aclrtMalloc(&block, sizes[i], (aclrtMemMallocPolicy)policy);
            // Of a block the driver's pages go, whole; guards may take one of 4 KiB more.
            size_t taken = argc > 1 ? before - available() : 0;
            printf("%zu %d: %d, %d, %zu\n", sizes[i], policy, status, (int)((uintptr_t)block % 512), (taken + 8191) >> 20);
            if (status == 0) {
                printf("%d", aclrtFree(block));
                printf(" %d\n", aclrtFree((char *)block + 32));
            }
        }
    }
    // Refusals.
    void *kept = block;
    printf("%d %d", aclrtMalloc(&block, 0, ACL_MEM_MALLOC_HUGE_FIRST), block == kept);
    printf(" %d %d", aclrtMalloc(&block, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST), block == kept);
    printf(" %d %d", aclrtMalloc(&block, (size_t)1 << 45, ACL_MEM_MALLOC_HUGE_FIRST), block == kept);
    printf(" %d", aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    printf(" %d %d", aclrtMallocHost(&block, 0), aclrtMallocHost(&block, SIZE_MAX - 16));
    printf(" %d\n", aclrtFree(NULL));
    // Without a context nothing is allocated, and what there is can be released.
    char *last = device(1000), *staging = pinned(1000);
    MUST(aclrtResetDevice(0));
    printf("%d %d %d\n", aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST), aclrtFree(last), aclrtFreeHost(staging));
    printf("%d\n", aclGetRecentErrMsg() != NULL);
    MUST(aclFinalize());
    return argv == NULL;
}
