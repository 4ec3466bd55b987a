// What aclrtGetMemInfo says that one block takes, on a device that was used for nothing else: "SIZE POLICY BYTES" each.
#include "../rt.h"

static size_t available(void) {
    size_t available = 0, total = 0;
    MUST(aclrtGetMemInfo(ACL_HBM_MEM, &available, &total));
    return available;
}

int main(void) {
    static const size_t sizes[] = {1, 1000, 65504, 1048000, 1048544, 1048576, 2097152, 5000000};
    MUST(aclInit(NULL));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int policy = 0; policy < 6; policy++) {
            MUST(aclrtSetDevice(0));
            size_t before = available();
            void *block = NULL;
            MUST(aclrtMalloc(&block, sizes[i], (aclrtMemMallocPolicy)policy));
            printf("%zu %d %zu\n", sizes[i], policy, before - available());
            MUST(aclrtFree(block));
            MUST(aclrtResetDevice(0));
        }
    }
    MUST(aclFinalize());
    return 0;
}
