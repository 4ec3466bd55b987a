//@ flags: -L{split} -lruntime -Wl,--allow-shlib-undefined
// Calls the layer below AscendCL's, as kernel launchers do, and mixes the two: each block is seen once, and nothing of it is wrong but what
// the argument `twice` adds.
#include "door.h"
#include "runtime/mem.h"
#include <string.h>

int main(int argc, char **argv) {
    void *block = NULL;
    int failed = aclInit(NULL) + aclrtSetDevice(0);
    for (int i = 0; i < PAIRS; i++) {
        failed += rtMalloc(&block, 1000, 0x2, 0) + rtFree(block);
    }
    failed += rtMallocHost(&block, 1000, 0) + rtFreeHost(block);
    failed += rtMallocCached(&block, 1000, 0x2, 0) + aclrtFree(block);
    failed += aclrtMalloc(&block, 1000, ACL_MEM_MALLOC_HUGE_FIRST) + rtFree(block);
    failed += aclrtMallocHost(&block, 1000) + rtFree(block);
    if (argc > 1 && strcmp(argv[1], "twice") == 0) {
        failed += rtMalloc(&block, 1000, 0x2, 0) + rtFree(block);
        rtFree(block);
    }
    failed += aclrtResetDevice(0) + aclFinalize();
    printf("%d failed\n", failed);
    return failed != 0;
}
