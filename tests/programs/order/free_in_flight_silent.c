//@ env: ACLSIM_STREAM_DELAY_US=500
// Each way of waiting before a release.
#include "order.h"

static void released(void *block) { aclrtFree(block); }

int main(void) {
    begin();
    aclrtStream first = stream(), second = stream(), last = stream();
    char *block[9];
    for (int i = 0; i < 9; i++) block[i] = device(N);
    for (int i = 0; i < 3; i++) {
        MUST(aclrtMemsetAsync(block[i], N, i, N, first));
    }
    MUST(aclrtSynchronizeStream(first));
    MUST(aclrtFree(block[0]));
    MUST(aclrtMemsetAsync(block[1], N, 3, N, second));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtFree(block[1]));
    MUST(aclrtMemsetAsync(block[2], N, 3, N, second));
    MUST(aclrtFreeWithDevSync(block[2]));

    // An event after the work, waited for by the host; polled until it is complete; timed.
    MUST(aclrtMemsetAsync(block[3], N, 1, N, first));
    aclrtEvent event = recorded(first);
    MUST(aclrtSynchronizeEvent(event));
    MUST(aclrtFree(block[3]));
    MUST(aclrtMemsetAsync(block[4], N, 1, N, first));
    MUST(aclrtRecordEvent(event, first));
    aclrtEventRecordedStatus state = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    while (state != ACL_EVENT_RECORDED_STATUS_COMPLETE) MUST(aclrtQueryEventStatus(event, &state));
    MUST(aclrtFree(block[4]));
    MUST(aclrtMemsetAsync(block[5], N, 1, N, first));
    aclrtStreamStatus still = ACL_STREAM_STATUS_NOT_READY;
    while (still != ACL_STREAM_STATUS_COMPLETE) MUST(aclrtStreamQuery(first, &still));
    MUST(aclrtFree(block[5]));

    // Through another stream.
    MUST(aclrtMemsetAsync(block[6], N, 1, N, first));
    MUST(aclrtRecordEvent(event, first));
    MUST(aclrtStreamWaitEvent(second, event));
    MUST(aclrtSynchronizeStreamWithTimeout(second, 60000));
    MUST(aclrtFree(block[6]));

    // In stream order, and at the stream's end.
    MUST(aclrtMemsetAsync(block[7], N, 1, N, second));
    MUST(aclrtLaunchHostFunc(second, released, block[7]));
    MUST(aclrtMemsetAsync(block[8], N, 1, N, last));
    MUST(aclrtDestroyStream(last));
    MUST(aclrtFree(block[8]));

    MUST(aclrtSynchronizeDevice());
    MUST(aclrtDestroyEvent(event));
    MUST(aclrtDestroyStream(first));
    MUST(aclrtDestroyStream(second));
    end();
    return 0;
}
