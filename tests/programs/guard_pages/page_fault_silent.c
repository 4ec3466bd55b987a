//@ options: guard=page
// Kernels that use their blocks to the very last byte, and blocks that are released after the work that uses them.
#include "launch.h"

int main(void) {
    static const size_t sizes[] = {1, 31, 32, 33, 480, 512, 992, 1000, 8192};
    begin();
    MUST(aclrtFree(device(64)));
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *block = device(sizes[i]), *other = device(sizes[i]);
        launch(zero, block, sizes[i], stream);
        launch(sum, block, sizes[i], stream);
        MUST(aclrtMemcpyAsync(other, sizes[i], block, sizes[i], ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        MUST(aclrtSynchronizeStream(stream));
        MUST(aclrtFree(block));
        launch(zero, other, sizes[i], stream);
        MUST(aclrtFreeWithDevSync(other));
        block = device(sizes[i]);
        launch(zero, block, sizes[i], stream);
        MUST(aclrtMemPoolFreeAsync(block, stream)); // in stream order
        MUST(aclrtSynchronizeStream(stream));
    }
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
