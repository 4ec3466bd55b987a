//@ env: ACLSIM_STREAM_DELAY_US=2000
// A value in memory and a counting notify order their waiters after the stream that set them, and no other.
#include "order.h"

int main(void) {
    begin();
    aclrtStream work = stream(), other = stream(), copies = stream();
    char *sum = device(N), *flag = device(64), *result = pinned(N);
    MUST(aclrtMemset(flag, 64, 0, 64));
    MUST(aclrtMemsetAsync(sum, N, 1, N, work));
    MUST(aclrtValueWrite(flag, 1, 0, other)); // by a stream that has nothing to do with it
    MUST(aclrtValueWait(flag, 1, ACL_STREAM_WAIT_VALUE_EQ, copies));
    MUST(aclrtMemcpyAsync(result, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST, copies));
    MUST(aclrtSynchronizeDevice());

    aclrtCntNotify count = NULL;
    MUST(aclrtCntNotifyCreate(&count, ACL_NOTIFY_DEFAULT));
    aclrtCntNotifyRecordInfo one = {ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1};
    aclrtCntNotifyWaitInfo first = {ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 1, 0, 1, {0}};
    MUST(aclrtCntNotifyRecord(count, work, &one)); // before the work, not after it
    MUST(aclrtMemsetAsync(sum, N, 2, N, work));
    MUST(aclrtCntNotifyWaitWithTimeout(count, copies, &first));
    MUST(aclrtMemcpyAsync(result, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST, copies));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtCntNotifyDestroy(count));
    MUST(aclrtFree(sum));
    MUST(aclrtFree(flag));
    MUST(aclrtFreeHost(result));
    MUST(aclrtDestroyStream(work));
    MUST(aclrtDestroyStream(other));
    MUST(aclrtDestroyStream(copies));
    end();
    return 0;
}
