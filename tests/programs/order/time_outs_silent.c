//@ env: ACLSIM_STREAM_DELAY_US=500
// Waits with a time-out that end before it, or that are tried again behind it.
#include "order.h"

int main(void) {
    begin();
    aclrtStream work = stream();
    char *block[4];
    for (int i = 0; i < 4; i++) block[i] = device(N);
    MUST(aclrtMemsetAsync(block[0], N, 1, N, work));
    MUST(aclrtSynchronizeStreamWithTimeout(work, 60000));
    MUST(aclrtFree(block[0]));
    MUST(aclrtMemsetAsync(block[1], N, 2, N, work));
    aclrtEvent event = recorded(work);
    MUST(aclrtSynchronizeEventWithTimeout(event, 60000));
    MUST(aclrtFree(block[1]));
    MUST(aclrtMemsetAsync(block[2], N, 3, N, work));
    MUST(aclrtSynchronizeDeviceWithTimeout(60000));
    MUST(aclrtFree(block[2]));
    // Tried again after a time-out, as often as it takes.
    MUST(aclrtMemsetAsync(block[3], N, 4, N, work));
    while (aclrtSynchronizeStreamWithTimeout(work, 0) != ACL_SUCCESS) continue;
    MUST(aclrtFree(block[3]));
    MUST(aclrtDestroyEvent(event));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
