//@ env: ACLSIM_STREAM_DELAY_US=100000
// A wait that ended with a time-out has waited for nothing: for a stream, an event, a device.
#include "order.h"

int main(void) {
    begin();
    aclrtStream work = stream();
    char *first = device(N), *second = device(N), *third = device(N);
    MUST(aclrtMemsetAsync(first, N, 1, N, work));
    int ended = aclrtSynchronizeStreamWithTimeout(work, 1) == ACL_SUCCESS;
    MUST(aclrtFree(first));
    MUST(aclrtMemsetAsync(second, N, 2, N, work));
    aclrtEvent event = recorded(work);
    ended |= aclrtSynchronizeEventWithTimeout(event, 1) == ACL_SUCCESS;
    MUST(aclrtFree(second));
    MUST(aclrtMemsetAsync(third, N, 3, N, work));
    ended |= aclrtSynchronizeDeviceWithTimeout(1) == ACL_SUCCESS;
    MUST(aclrtFree(third));
    aclrtSynchronizeDevice(); // the fills have missed their blocks
    MUST(aclrtDestroyEvent(event));
    aclrtDestroyStream(work);
    end();
    return ended;
}
