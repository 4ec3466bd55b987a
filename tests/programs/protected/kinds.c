//@ env: ACLSIM_STREAM_DELAY_US=2000
// Kinds of memory: huge pages, transparent and not, shared memory, a file's, the C heap's; little of it lockable, and much in flight.
#define _GNU_SOURCE
#include "protected.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

enum { LARGE = 4 << 20, MANY = 1500 };

static void use(char *own, size_t size, const char *what) {
    if (own == MAP_FAILED || !own) {
        printf("%s: none\n", what);
        return;
    }
    memset(own, 1, size);
    MUST(aclrtHostRegisterV2(own, size, ACL_HOST_REG_PINNED));
    for (int round = 0; round < 2; round++) {
        MUST(aclrtMemcpyAsync(own + N, 8 * N, source, 8 * N, ACL_MEMCPY_DEVICE_TO_HOST, work));
        MUST(aclrtMemcpyAsync(source, 8 * N, own + size / 2, 8 * N, ACL_MEMCPY_HOST_TO_DEVICE, work));
        own[0] = 3;
        own[size - 1] = 4;
        MUST(aclrtSynchronizeStream(work));
        MUST(aclrtMemset(source, 16 * N, 2, 16 * N));
    }
    printf("%s: %d %d %d %d\n", what, own[0], own[N], own[9 * N], own[size - 1]);
    MUST(aclrtHostUnregister(own));
}

int main(void) {
    struct rlimit none = {0, 0};
    MUST(setrlimit(RLIMIT_MEMLOCK, &none));
    start();
    int flags = MAP_PRIVATE | MAP_ANONYMOUS, both = PROT_READ | PROT_WRITE;
    char *huge = mmap(NULL, LARGE, both, flags | MAP_HUGETLB, -1, 0);
    use(huge, LARGE, "huge");
    char *transparent = mmap(NULL, 2 * LARGE, both, flags, -1, 0);
    madvise(transparent, 2 * LARGE, MADV_HUGEPAGE);
    use(transparent, 2 * LARGE, "transparent");
    use(mmap(NULL, LARGE, both, MAP_SHARED | MAP_ANONYMOUS, -1, 0), LARGE, "shared");
    int file = open("protected-kinds", O_RDWR | O_CREAT | O_TRUNC, 0600);
    MUST(ftruncate(file, LARGE));
    use(mmap(NULL, LARGE, both, MAP_SHARED, file, 0), LARGE, "file");
    use(mmap(NULL, LARGE, both, MAP_PRIVATE, file, 0), LARGE, "private file");
    unlink("protected-kinds");
    void *heap = NULL;
    MUST(posix_memalign(&heap, 65536, LARGE));
    use(heap, LARGE, "heap");
    free(heap);
    // More than the shim keeps in mind.
    static char *blocks[MANY];
    for (int i = 0; i < MANY; i++) {
        blocks[i] = pinned(N);
        MUST(aclrtMemcpyAsync(blocks[i], N, source, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
    }
    MUST(aclrtSynchronizeStream(work));
    int sum = 0;
    for (int i = 0; i < MANY; i++) sum += blocks[i][i % N];
    printf("%d\n", sum);
    for (int i = 0; i < MANY; i++) MUST(aclrtFreeHost(blocks[i]));
    finish();
    return 0;
}
