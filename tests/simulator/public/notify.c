/* Notifies: the checks of the acl layer. */
#include "../public.h"

aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag)
{
    ENTER();
    REQUIRE(notify, ACL_ERROR_INVALID_PARAM);
    REQUIRE(flag <= ACL_NOTIFY_DEVICE_USE_ONLY, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(aclsimNotifyCreate(notify, false));
}

/* Keys have room for the runtime's longest name (rt_external_event.h), whose driver says so. */
#define KEY_BYTES 65u
#define ANY_PROCESS 2u

aclError aclrtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len, uint64_t flags)
{
    ENTER();
    REQUIRE(notify && key, ACL_ERROR_INVALID_PARAM);
    REQUIRE((uint32_t)len >= KEY_BYTES && (flags == 0 || flags == ANY_PROCESS), ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtNotifyGetExportKey(notify, key, len, flags == ANY_PROCESS));
}

/* 1: the AI CPU may have it; 2: whatever the devices. */
aclError aclrtNotifyImportByKey(aclrtNotify *notify, const char *key, uint64_t flags)
{
    ENTER();
    REQUIRE(notify && key, ACL_ERROR_INVALID_PARAM);
    REQUIRE((uint32_t)flags <= 3, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtNotifyImportByKey(notify, key));
}

aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t *pid, size_t num)
{
    ENTER();
    REQUIRE(notify && pid, ACL_ERROR_INVALID_PARAM);
    REQUIRE((int32_t)num > 0, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtNotifySetImportPid(notify, pid, num));
}

aclError aclrtDestroyNotify(aclrtNotify notify)
{
    ENTER();
    REQUIRE(notify, ACL_ERROR_INVALID_PARAM);
    ANSWER(aclsimNotifyDestroy(notify, false));
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)
{
    ENTER();
    REQUIRE(notify, ACL_ERROR_INVALID_PARAM);
    aclrtCntNotifyRecordInfo set = {ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 1};
    ANSWER(aclsimNotifyRecord(notify, false, set, stream));
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout)
{
    ENTER();
    REQUIRE(notify, ACL_ERROR_INVALID_PARAM);
    aclrtCntNotifyWaitInfo set = {ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 1, timeout, 1, {0}};
    ANSWER(aclsimNotifyWait(notify, false, set, stream));
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId)
{
    ENTER();
    REQUIRE(notify && notifyId, ACL_ERROR_INVALID_PARAM);
    ANSWER(aclsimNotifyId(notify, false, notifyId));
}

aclError aclrtNotifyBatchReset(aclrtNotify *notifies, size_t num)
{
    ENTER();
    REQUIRE(notifies, ACL_ERROR_INVALID_PARAM);
    aclError code = ACL_SUCCESS;
    for (size_t i = 0; i < num && code == ACL_SUCCESS; i++) {
        code = aclsimNotifyReset(notifies[i]);
    }
    ANSWER(code);
}

/* The acl layer leaves these to the runtime. */
aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify, uint64_t flag)
{
    ENTER();
    REQUIRE(cntNotify, ACL_ERROR_RT_PARAM_INVALID);
    REQUIRE(flag <= ACL_NOTIFY_DEVICE_USE_ONLY, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(aclsimNotifyCreate(cntNotify, true));
}

aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify)
{
    ENTER();
    REQUIRE(cntNotify, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(aclsimNotifyDestroy(cntNotify, true));
}

aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyRecordInfo *info)
{
    ENTER();
    REQUIRE(cntNotify && info, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(aclsimNotifyRecord(cntNotify, true, *info, stream));
}

aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyWaitInfo *info)
{
    ENTER();
    REQUIRE(cntNotify && info, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(aclsimNotifyWait(cntNotify, true, *info, stream));
}

aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream)
{
    ENTER();
    REQUIRE(cntNotify, ACL_ERROR_RT_PARAM_INVALID);
    aclrtCntNotifyRecordInfo clear = {ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 0};
    ANSWER(aclsimNotifyRecord(cntNotify, true, clear, stream));
}

aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t *notifyId)
{
    ENTER();
    REQUIRE(cntNotify && notifyId, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(aclsimNotifyId(cntNotify, true, notifyId));
}
