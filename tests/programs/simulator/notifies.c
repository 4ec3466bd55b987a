//@ run
/* Notifies order streams, once or by a count. */
#include "expect.h"

static int isBusy(aclrtStream stream)
{
    aclrtStreamStatus status;
    OK(aclrtStreamQuery(stream, &status));
    return status == ACL_STREAM_STATUS_NOT_READY;
}

int main(void)
{
    aclrtStream one, two;
    aclrtNotify notify;
    aclrtCntNotify count;
    uint32_t id;
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&one));
    OK(aclrtCreateStream(&two));
    EXPECT_CODE("3.13", ACL_ERROR_INVALID_PARAM, aclrtCreateNotify(NULL, 0));
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    OK(aclrtGetNotifyId(notify, &id));
    OK(aclrtWaitAndResetNotify(notify, two, 0));
    EXPECT("3.13: the wait may come first", isBusy(two));
    OK(aclrtRecordNotify(notify, one));
    OK(aclrtSynchronizeStream(two));
    OK(aclrtWaitAndResetNotify(notify, two, 0));
    EXPECT("3.13: the first wait has reset it", isBusy(two));
    OK(aclrtRecordNotify(notify, one));
    OK(aclrtSynchronizeStream(two));
    OK(aclrtNotifyBatchReset(&notify, 1));

    OK(aclrtCntNotifyCreate(&count, ACL_NOTIFY_DEFAULT));
    aclrtCntNotifyRecordInfo add = {ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1};
    aclrtCntNotifyWaitInfo twice = {ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 2, 0, 1, {0}};
    OK(aclrtCntNotifyWaitWithTimeout(count, two, &twice));
    OK(aclrtCntNotifyRecord(count, one, &add));
    OK(aclrtSynchronizeStream(one));
    EXPECT("3.13: one is not enough", isBusy(two));
    OK(aclrtCntNotifyRecord(count, one, &add));
    OK(aclrtSynchronizeStream(two));
    OK(aclrtCntNotifyReset(count, one));
    OK(aclrtCntNotifyGetId(count, &id));
    OK(aclrtSynchronizeStream(one));
    OK(aclrtCntNotifyDestroy(count));
    OK(aclrtDestroyNotify(notify));
    EXPECT_CODE("simulator: stale handles", ACL_ERROR_RT_INVALID_HANDLE, aclrtRecordNotify(notify, one));
    return 0;
}
