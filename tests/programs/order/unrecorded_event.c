//@ env: ACLSIM_STREAM_DELAY_US=2000
// The host and another stream wait for an event that nobody has recorded: the waits return at once and order nothing.
#include "order.h"

int main(void) {
    begin();
    aclrtStream work = stream(), other = stream();
    aclrtEvent event;
    MUST(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    for (int step = 0; step < 2; step++) {
        char *block = device(N), *host = pinned(N);
        MUST(aclrtMemcpyAsync(host, N, block, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
        if (step == 0) {
            MUST(aclrtSynchronizeEvent(event));
        } else {
            MUST(aclrtStreamWaitEvent(other, event));
            MUST(aclrtSynchronizeStream(other));
        }
        MUST(aclrtFreeHost(host));
        MUST(aclrtSynchronizeStream(work));
        MUST(aclrtFree(block));
    }
    MUST(aclrtDestroyEvent(event));
    MUST(aclrtDestroyStream(other));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
