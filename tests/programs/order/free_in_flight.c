//@ env: ACLSIM_STREAM_DELAY_US=2000
#include "order.h"

int main(void) {
    begin();
    aclrtStream first = stream(), second = stream();
    char *filled = device(N), *source = device(N), *target = device(N), *picture = dvpp(N);
    MUST(aclrtMemsetAsync(filled, N, 1, N, first));
    MUST(aclrtSynchronizeStream(second)); // the wrong one
    MUST(aclrtFree(filled));
    MUST(aclrtMemcpyAsync(target, N, source, N, ACL_MEMCPY_DEVICE_TO_DEVICE, first));
    aclrtEvent event = recorded(first);
    MUST(aclrtRecordEvent(event, second)); // it marks the second stream from here on
    MUST(aclrtSynchronizeEvent(event));
    MUST(aclrtFree(source));
    MUST(aclrtMemsetAsync(picture, N, 1, N, NULL));
    MUST(acldvppFree(picture));
    aclrtSynchronizeDevice(); // the result depends on a race
    MUST(aclrtFree(target));
    MUST(aclrtDestroyEvent(event));
    aclrtDestroyStream(first);
    aclrtDestroyStream(second);
    end();
    return 0;
}
