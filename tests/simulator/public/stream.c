#include "../public.h"

#include <stdlib.h>
#include <string.h>

aclError aclrtCreateStream(aclrtStream *stream)
{
    ENTER();
    REQUIRE(stream, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtStreamCreateWithFlags(stream, 0, 0));
}

/* Flags that the acl layer doesn't know are dropped, a priority above the range becomes the lowest (StreamCreate). */
static aclError created(aclrtStream *stream, uint32_t priority, uint32_t flags)
{
    const uint32_t known = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_PERSISTENT | ACL_STREAM_HUGE |
                           ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;
    flags &= known;
    if (flags & ACL_STREAM_DEVICE_USE_ONLY) { /* alone it is for chips with such streams (CheckStreamFlags) */
        return flags == ACL_STREAM_DEVICE_USE_ONLY ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_RT_PARAM_INVALID;
    }
    int32_t wanted = (int32_t)priority;
    return rtStreamCreateWithFlags(stream, wanted < 0 ? 0 : wanted > 7 ? 7 : wanted, flags);
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    ENTER();
    REQUIRE(stream, ACL_ERROR_INVALID_PARAM);
    ANSWER(created(stream, priority, flag));
}

struct aclrtStreamConfigHandle {
    size_t flags;
    uint32_t priority;
};

aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void)
{
    return calloc(1, sizeof(aclrtStreamConfigHandle));
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle)
{
    ENTER();
    REQUIRE(handle, ACL_ERROR_INVALID_PARAM);
    free(handle);
    ANSWER(ACL_SUCCESS);
}

/* Memory to work in is not asked for here. The flag is a size_t there, and the priority is not. */
aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle, aclrtStreamConfigAttr attr, const void *attrValue,
                                 size_t valueSize)
{
    ENTER();
    REQUIRE(handle && attrValue && (uint32_t)attr <= ACL_RT_STREAM_PRIORITY, ACL_ERROR_INVALID_PARAM);
    REQUIRE(valueSize == (attr == ACL_RT_STREAM_PRIORITY ? sizeof(uint32_t) : sizeof(size_t)), ACL_ERROR_INVALID_PARAM);
    if (attr == ACL_RT_STREAM_FLAG) {
        memcpy(&handle->flags, attrValue, sizeof(size_t));
    } else if (attr == ACL_RT_STREAM_PRIORITY) {
        uint32_t priority;
        memcpy(&priority, attrValue, sizeof priority);
        REQUIRE(priority <= 7, ACL_ERROR_INVALID_PARAM); /* aclrt_c/runtime/stream.c */
        handle->priority = priority;
    }
    return ACL_SUCCESS;
}

aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle)
{
    ENTER();
    REQUIRE(stream, ACL_ERROR_INVALID_PARAM);
    aclrtStreamConfigHandle plain = {0, 0};
    handle = handle ? handle : &plain;
    ANSWER(created(stream, handle->priority, (uint32_t)handle->flags));
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    ENTER();
    REQUIRE(stream, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtStreamDestroy(stream));
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    ENTER();
    REQUIRE(stream, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtStreamDestroyForce(stream));
}

aclError aclrtStreamAbort(aclrtStream stream)
{
    ENTER();
    int32_t device;
    REQUIRE(stream || rtGetDevice(&device) == ACL_SUCCESS, ACL_ERROR_RT_PARAM_INVALID); /* the default one needs a context */
    ANSWER(aclsimStreamAbort(stream));
}

/* Not simulated: `aclrtStreamAbort` is. */
aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout)
{
    ENTER();
    (void)timeout;
    ANSWER(deviceId < 0 ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

/* Codes that the acl layer turns into success. */
static aclError synchronized(aclError code)
{
    switch (code) {
    case ACL_ERROR_RT_END_OF_SEQUENCE:
    case ACL_ERROR_RT_MODEL_ABORT_NORMAL:
    case ACL_ERROR_RT_AICORE_OVER_FLOW:
    case ACL_ERROR_RT_AIVEC_OVER_FLOW:
    case ACL_ERROR_RT_OVER_FLOW:
    case ACL_ERROR_RT_SOCKET_CLOSE:
        return ACL_SUCCESS;
    default:
        return code;
    }
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    ENTER();
    ANSWER(synchronized(rtStreamSynchronizeWithTimeout(stream, -1)));
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    ENTER();
    REQUIRE(timeout >= -1 && timeout != 0, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(synchronized(rtStreamSynchronizeWithTimeout(stream, timeout)));
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
    ENTER();
    REQUIRE(status, ACL_ERROR_INVALID_PARAM);
    bool complete = false;
    aclError code = aclsimStreamQuery(stream, &complete);
    REQUIRE(code == ACL_SUCCESS, code);
    *status = complete ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

static aclError describe(aclrtStream stream, int32_t *id, uint32_t *priority, uint32_t *flags)
{
    int32_t id_read, device;
    uint32_t priority_read, flags_read;
    if (!id && !priority && !flags) {
        return ACL_ERROR_INVALID_PARAM;
    }
    aclError code = aclsimStreamDescribe(stream, &id_read, &priority_read, &flags_read);
    code = code == ACL_SUCCESS && !id ? rtGetDevice(&device) : code; /* an id alone needs no context */
    if (code != ACL_SUCCESS) {
        return code;
    }
    *(id ? id : &id_read) = id_read;
    *(priority ? priority : &priority_read) = priority_read;
    *(flags ? flags : &flags_read) = flags_read;
    return ACL_SUCCESS;
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
    ENTER();
    ANSWER(describe(stream, streamId, NULL, NULL));
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
    ENTER();
    ANSWER(describe(stream, NULL, priority, NULL));
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
    ENTER();
    ANSWER(describe(stream, NULL, NULL, flags));
}

/* Kept without effect: here a failed task never stops the tasks after it. */
aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
    ENTER();
    int32_t device;
    REQUIRE(stream || rtGetDevice(&device) == ACL_SUCCESS, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtStreamSetAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &(aclrtStreamAttrValue){.failureMode = mode}));
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority, int32_t *greatestPriority)
{
    ENTER();
    if (leastPriority) {
        *leastPriority = 7;
    }
    if (greatestPriority) {
        *greatestPriority = 0;
    }
    return ACL_SUCCESS;
}

aclError aclrtRegStreamStateCallback(const char *regName, aclrtStreamStateCallback callback, void *args)
{
    ENTER();
    REQUIRE(regName, ACL_ERROR_INVALID_PARAM);
    ANSWER(aclsimWatchStreams(regName, callback, args));
}
