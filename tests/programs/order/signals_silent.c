//@ env: ACLSIM_STREAM_DELAY_US=500
// Values, counts and notifies that order streams; and waits with unknown signalers, which are not judged.
#include "order.h"

static aclrtStream work, copies;
static char *sum, *result;

static void filled(int with) { MUST(aclrtMemsetAsync(sum, N, with, N, work)); }

static void fetched(void) {
    MUST(aclrtMemcpyAsync(result, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST, copies));
    MUST(aclrtSynchronizeDevice());
}

static void values(char *flag) {
    for (uint64_t round = 1; round < 4; round++) {
        filled(1);
        MUST(aclrtValueWrite(flag, round, 0, work));
        MUST(aclrtValueWait(flag, round, ACL_STREAM_WAIT_VALUE_EQ, copies));
        fetched();
    }
    // The wait comes first; by a bit; by a value that the fill of another stream brings about.
    MUST(aclrtValueWait(flag, 9, ACL_STREAM_WAIT_VALUE_GEQ, copies));
    MUST(aclrtMemcpyAsync(result, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST, copies));
    filled(2);
    MUST(aclrtValueWrite(flag, 9, 0, work));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtValueWait(flag + 8, 4, ACL_STREAM_WAIT_VALUE_AND, copies));
    filled(3);
    MUST(aclrtValueWrite(flag + 8, 12, 0, work));
    fetched();
    MUST(aclrtValueWait(flag + 16, 0x0101010101010101, ACL_STREAM_WAIT_VALUE_EQ, copies));
    filled(4);
    MUST(aclrtMemsetAsync(flag + 16, 8, 1, 8, work));
    fetched();
}

static void counts(aclrtCntNotify count) {
    aclrtCntNotifyRecordInfo one = {ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1};
    aclrtCntNotifyWaitInfo first = {ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 1, 0, 1, {0}};
    aclrtCntNotifyWaitInfo second = {ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 2, 0, 1, {0}};
    filled(5);
    MUST(aclrtCntNotifyRecord(count, work, &one));
    MUST(aclrtCntNotifyWaitWithTimeout(count, copies, &first));
    fetched();
    // It needs both records, and the second one is after the fill.
    MUST(aclrtCntNotifyRecord(count, work, &one));
    filled(6);
    MUST(aclrtCntNotifyWaitWithTimeout(count, copies, &second));
    MUST(aclrtCntNotifyRecord(count, work, &one));
    fetched();
}

static void reset(aclrtNotify notify) {
    MUST(aclrtRecordNotify(notify, work));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtNotifyBatchReset(&notify, 1));
    MUST(aclrtWaitAndResetNotify(notify, copies, 0)); // not for the record before
    MUST(aclrtMemcpyAsync(result, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST, copies));
    filled(7);
    MUST(aclrtRecordNotify(notify, work));
    MUST(aclrtSynchronizeDevice());
}

int main(void) {
    begin();
    work = stream();
    copies = stream();
    sum = device(N);
    result = pinned(N);
    char *flag = device(64);
    aclrtCntNotify count = NULL;
    aclrtNotify notify = NULL;
    MUST(aclrtMemset(flag, 64, 0, 64));
    MUST(aclrtCntNotifyCreate(&count, ACL_NOTIFY_DEFAULT));
    MUST(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    values(flag);
    counts(count);
    reset(notify);
    MUST(aclrtCntNotifyDestroy(count));
    MUST(aclrtDestroyNotify(notify));
    MUST(aclrtFree(flag));
    MUST(aclrtFree(sum));
    MUST(aclrtFreeHost(result));
    MUST(aclrtDestroyStream(work));
    MUST(aclrtDestroyStream(copies));
    end();
    return 0;
}
