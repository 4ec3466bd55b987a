//@ env: ACLSIM_STREAM_DELAY_US=2000
// The same as uncovered_staging.c, fixed.
// https://github.com/PaddlePaddle/PaddleCustomDevice/pull/357: `aclrtFreeHost` gives back staging memory when an event is done that does
// cover its copy; here it does.
#include "../order/order.h"

int main(void) {
    begin();
    aclrtStream queue = stream();
    aclrtEvent event = NULL;
    char *target = device(N), *staging = pinned(N);
    MUST(aclrtCreateEvent(&event));
    MUST(aclrtMemcpyAsync(target, N, staging, N, ACL_MEMCPY_HOST_TO_DEVICE, queue));
    MUST(aclrtRecordEvent(event, queue));
    MUST(aclrtSynchronizeEvent(event));
    MUST(aclrtFreeHost(staging));
    aclrtSynchronizeStream(queue);
    MUST(aclrtDestroyEvent(event));
    MUST(aclrtFree(target));
    aclrtDestroyStream(queue);
    end();
    return 0;
}
