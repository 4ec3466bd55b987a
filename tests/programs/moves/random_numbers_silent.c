// Random numbers to the last byte of a block, a bit for each of them, in order on two streams; and as many as the device says.
#include "random_numbers.h"

enum { COUNT = 256, BYTES = 4 * COUNT };

int main(void) {
    begin();
    aclrtStream stream = NULL, other = NULL;
    aclrtEvent event = NULL;
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtCreateStream(&other));
    MUST(aclrtCreateEvent(&event));
    char *block = device(BYTES), *bits = device(COUNT / 8), *counter = device(64), *host = pinned(BYTES);
    MUST(aclrtMemset(counter, 64, 0, 64));
    numbers(block, COUNT, counter, ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS, stream);
    numbers(bits, COUNT, counter, ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK, stream);
    MUST(aclrtRecordEvent(event, stream));
    MUST(aclrtStreamWaitEvent(other, event));
    MUST(aclrtMemcpyAsync(host, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, other));
    MUST(aclrtMemcpyAsync(host, COUNT / 8, bits, COUNT / 8, ACL_MEMCPY_DEVICE_TO_HOST, other));
    MUST(aclrtSynchronizeStream(other));
    aclrtRandomNumTaskInfo nothing = {0};
    aclError refused = aclrtRandomNumAsync(NULL, stream, NULL);
    aclError reserved = aclrtRandomNumAsync(&nothing, stream, host);
    printf("%d %d\n", refused, reserved);
    MUST(aclrtDestroyEvent(event));
    MUST(aclrtFree(bits));
    MUST(aclrtFree(counter));
    MUST(aclrtFree(block));
    MUST(aclrtFreeHost(host));
    MUST(aclrtDestroyStream(other));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
