//@ env: ACLSIM_STREAM_DELAY_US=2000
// The event that guards staging memory is recorded before the copy out of it.
// https://github.com/PaddlePaddle/PaddleCustomDevice/pull/357: `aclrtFreeHost` gives back staging memory when an event is done that does
// not cover its copy.
#include "../order/order.h"

int main(void) {
    begin();
    aclrtStream queue = stream();
    aclrtEvent event = NULL;
    char *target = device(N), *staging = pinned(N);
    MUST(aclrtCreateEvent(&event));
    MUST(aclrtRecordEvent(event, queue));
    MUST(aclrtMemcpyAsync(target, N, staging, N, ACL_MEMCPY_HOST_TO_DEVICE, queue));
    MUST(aclrtSynchronizeEvent(event));
    MUST(aclrtFreeHost(staging));
    aclrtSynchronizeStream(queue);
    MUST(aclrtDestroyEvent(event));
    MUST(aclrtFree(target));
    aclrtDestroyStream(queue);
    end();
    return 0;
}
