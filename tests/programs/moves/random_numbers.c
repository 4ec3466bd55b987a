// Random numbers that leave their block, that another stream reads too early, and that are written into a released block.
#include "random_numbers.h"

enum { COUNT = 256, BYTES = 4 * COUNT };

int main(void) {
    begin();
    aclrtStream stream = NULL, other = NULL;
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtCreateStream(&other));
    char *block = device(BYTES), *counter = device(64), *host = pinned(BYTES);
    MUST(aclrtMemset(counter, 64, 0, 64));
    numbers(block + 16, COUNT, counter, ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS, stream);
    aclrtSynchronizeStream(stream);
    numbers(block, COUNT, counter, ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS, stream);
    MUST(aclrtMemcpyAsync(host, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, other));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtFree(block));
    numbers(block, 8, counter, ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK, stream);
    aclrtSynchronizeStream(stream);
    MUST(aclrtFree(counter));
    MUST(aclrtFreeHost(host));
    MUST(aclrtDestroyStream(other));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
