//@ env: ACLSIM_STREAM_DELAY_US=2000
// Waits for events that are recorded in between, or only from the second round on: the first wait of a ring of buffers has nothing to wait for.
#include "order.h"

int main(void) {
    begin();
    aclrtStream work = stream(), other = stream();
    aclrtEvent done[2];
    char *ring[2], *host[2];
    for (int at = 0; at < 2; at++) {
        MUST(aclrtCreateEventExWithFlag(&done[at], ACL_EVENT_SYNC));
        ring[at] = device(N);
        host[at] = pinned(N);
    }
    // A stream that waits for such an event waits for its next record.
    aclrtEvent mark;
    MUST(aclrtCreateEventWithFlag(&mark, ACL_EVENT_SYNC));
    char *late = device(N);
    MUST(aclrtMemsetAsync(late, N, 1, N, work));
    MUST(aclrtStreamWaitEvent(other, mark));
    MUST(aclrtRecordEvent(mark, work));
    MUST(aclrtMemsetAsync(late, N, 2, N, other));
    MUST(aclrtSynchronizeStream(other));
    MUST(aclrtFree(late));
    MUST(aclrtDestroyEvent(mark));
    for (int step = 0; step < 6; step++) {
        int at = step % 2;
        MUST(aclrtStreamWaitEvent(work, done[at]));
        MUST(aclrtSynchronizeEvent(done[at]));
        MUST(aclrtMemcpyAsync(ring[at], N, host[at], N, ACL_MEMCPY_HOST_TO_DEVICE, work));
        MUST(aclrtMemsetAsync(ring[at], N, step, N, work));
        MUST(aclrtRecordEvent(done[at], work));
    }
    MUST(aclrtStreamWaitEvent(other, done[1]));
    MUST(aclrtSynchronizeStream(other));
    for (int at = 0; at < 2; at++) {
        MUST(aclrtSynchronizeEvent(done[at]));
        MUST(aclrtFreeHost(host[at]));
        MUST(aclrtFree(ring[at]));
        MUST(aclrtDestroyEvent(done[at]));
    }
    MUST(aclrtDestroyStream(other));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
