//@ env: ACLSIM_STREAM_DELAY_US=500 ACLSIM_FAIL=sync@1=207017,sync@6=507018
// Waits that end with a code that counts as success, or with an error that ends the work; with a time-out that does not expire, or a retry.
#include "order.h"

int main(void) {
    begin();
    aclrtStream work = stream();
    char *block[6];
    for (int i = 0; i < 6; i++) block[i] = device(N);
    MUST(aclrtMemsetAsync(block[4], N, 1, N, work));
    MUST(aclrtSynchronizeStream(work)); // an overflow
    MUST(aclrtFree(block[4]));
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
    while (aclrtSynchronizeStreamWithTimeout(work, 1) != ACL_SUCCESS) continue;
    MUST(aclrtFree(block[3]));
    MUST(aclrtMemsetAsync(block[5], N, 5, N, work));
    int failed = aclrtSynchronizeStream(work) == ACL_ERROR_RT_AICPU_EXCEPTION;
    MUST(aclrtFree(block[5]));
    MUST(aclrtDestroyEvent(event));
    aclrtDestroyStream(work);
    end();
    return !failed;
}
