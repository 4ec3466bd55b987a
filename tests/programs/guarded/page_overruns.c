// Overruns of many lengths by kernels, before an unmapped page: "SIZE LENGTH STATUS" of each.
#include "../guard_pages/launch.h"

int main(void) {
    static const size_t sizes[] = {512, 992, 1000}, lengths[] = {0, 1, 31, 32, 33, 511, 512, 4096};
    begin();
    MUST(aclrtFree(device(64))); // a guard needs a machine that is known
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++) {
            char *block = device(sizes[i]);
            launch(zero, block, sizes[i] + lengths[j], stream);
            printf("%zu %zu %d\n", sizes[i], lengths[j], aclrtSynchronizeStream(stream));
            MUST(aclrtFree(block));
        }
    }
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
