//@ env: ACLSIM_STREAM_DELAY_US=500
// Waits that are queued before what they wait for: who waited for them knows of that, too.
#include "order.h"

int main(void) {
    begin();
    aclrtStream first = stream(), second = stream(), last = stream();
    aclrtNotify half = NULL, whole = NULL;
    uint64_t *flag = (uint64_t *)device(64);
    MUST(aclrtCreateNotify(&half, ACL_NOTIFY_DEFAULT));
    MUST(aclrtCreateNotify(&whole, ACL_NOTIFY_DEFAULT));
    MUST(aclrtMemset(flag, 64, 0, 64));
    for (int round = 1; round <= 3; round++) {
        char *one = device(N), *two = device(N), *three = device(N);
        MUST(aclrtWaitAndResetNotify(whole, last, 0));
        MUST(aclrtWaitAndResetNotify(half, second, 0));
        MUST(aclrtMemsetAsync(one, N, round, N, first));
        MUST(aclrtRecordNotify(half, first));
        MUST(aclrtMemcpyAsync(two, N, one, N, ACL_MEMCPY_DEVICE_TO_DEVICE, second));
        MUST(aclrtRecordNotify(whole, second));
        MUST(aclrtSynchronizeStream(last));
        MUST(aclrtFree(one));
        MUST(aclrtFree(two));

        MUST(aclrtValueWait(flag, round, 0, last));
        MUST(aclrtMemsetAsync(three, N, round, N, first));
        MUST(aclrtValueWrite(flag, round, 0, first));
        MUST(aclrtSynchronizeStream(last));
        MUST(aclrtFree(three));
    }
    MUST(aclrtSynchronizeStream(first));
    MUST(aclrtFree(flag));
    MUST(aclrtDestroyNotify(half));
    MUST(aclrtDestroyNotify(whole));
    MUST(aclrtDestroyStream(first));
    MUST(aclrtDestroyStream(second));
    MUST(aclrtDestroyStream(last));
    end();
    return 0;
}
