/* Limits and switches: the checks of the acl layer. */
#include "../public.h"

static bool isLimit(aclrtDevResLimitType type)
{
    return (uint32_t)type <= ACL_RT_DEV_RES_VECTOR_CORE;
}

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value)
{
    ENTER();
    REQUIRE(value, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isLimit(type), ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtDeviceLimit(deviceId, type, value));
}

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value)
{
    ENTER();
    REQUIRE(isLimit(type), ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtDeviceSetLimit(deviceId, type, value));
}

aclError aclrtResetDeviceResLimit(int32_t deviceId)
{
    ENTER();
    ANSWER(rtDeviceResetLimit(deviceId));
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value)
{
    ENTER();
    REQUIRE(value, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isLimit(type), ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtStreamLimit(stream, type, value));
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value)
{
    ENTER();
    REQUIRE(isLimit(type), ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtStreamSetLimit(stream, type, value));
}

aclError aclrtResetStreamResLimit(aclrtStream stream)
{
    ENTER();
    ANSWER(rtStreamResetLimit(stream));
}

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream)
{
    ENTER();
    ANSWER(rtStreamUseLimit(stream, true));
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream)
{
    ENTER();
    ANSWER(rtStreamUseLimit(stream, false));
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value)
{
    ENTER();
    REQUIRE(value, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isLimit(type), ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtThreadLimit(type, value));
}

/* Kept, and without effect: stacks of kernels, and buffers of their output. */
static _Atomic uint32_t device_limits[] = {0, 0, 32 * 1024, 1024 * 1024, 2 * 1024 * 1024};

static bool isOfThreads(aclrtDeviceLimit limit)
{
    return limit == ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE || limit == ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE ||
           limit == ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE;
}

aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value)
{
    ENTER();
    REQUIRE((uint32_t)limit <= ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE && value <= UINT32_MAX, ACL_ERROR_INVALID_PARAM);
    REQUIRE(!isOfThreads(limit), ACL_ERROR_RT_FEATURE_NOT_SUPPORT); /* no profile has such kernels */
    device_limits[limit] = (uint32_t)value;
    return ACL_SUCCESS;
}

aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t *value)
{
    ENTER();
    REQUIRE(value && (uint32_t)limit <= ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE, ACL_ERROR_INVALID_PARAM);
    REQUIRE(!isOfThreads(limit), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    *value = device_limits[limit];
    return ACL_SUCCESS;
}

/* Options of the process. An option that was never set answers ACL_ERROR_RT_SYSPARAMOPT_NOT_SET. */
static struct {
    bool set;
    int64_t value;
} options[ACL_OPT_ENABLE_KERNEL_EARLY_START + 1];

static bool fits(aclSysParamOpt opt, int64_t value)
{
    return value >= 0 && value < (opt == ACL_OPT_DETERMINISTIC ? 4 : 2);
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    ENTER();
    REQUIRE((uint32_t)opt <= ACL_OPT_ENABLE_KERNEL_EARLY_START, ACL_ERROR_INVALID_PARAM);
    REQUIRE(fits(opt, value), ACL_ERROR_RT_PARAM_INVALID);
    options[opt].set = true;
    options[opt].value = value;
    return ACL_SUCCESS;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    ENTER();
    REQUIRE(value && (uint32_t)opt <= ACL_OPT_ENABLE_KERNEL_EARLY_START, ACL_ERROR_INVALID_PARAM);
    /* torch_npu asks for it before anyone has set it, and gives up without an answer. */
    bool is_default = opt == ACL_OPT_DETERMINISTIC && aclsimGraphEngine();
    REQUIRE(options[opt].set || is_default, ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    *value = options[opt].value;
    return ACL_SUCCESS;
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    ENTER();
    REQUIRE((uint32_t)opt <= ACL_OPT_STRONG_CONSISTENCY, ACL_ERROR_INVALID_PARAM);
    REQUIRE(fits(opt, value), ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtContextSetOption((uint32_t)opt, value));
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    ENTER();
    REQUIRE(value && (uint32_t)opt <= ACL_OPT_STRONG_CONSISTENCY, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtContextOption((uint32_t)opt, value));
}

/* Milliseconds. Tasks take no time here, so none ever runs out of it. */
static _Atomic uint32_t execution_ms = 547 * 1000;

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
    ENTER();
    execution_ms = timeout > UINT32_MAX / 1000 ? UINT32_MAX : timeout * 1000;
    return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout)
{
    ENTER();
    execution_ms = timeout;
    return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout)
{
    ENTER();
    int32_t device;
    REQUIRE(actualTimeout, ACL_ERROR_INVALID_PARAM);
    aclError code = rtGetDevice(&device);
    REQUIRE(code == ACL_SUCCESS, code);
    execution_ms = timeout / 1000 > UINT32_MAX ? UINT32_MAX : (uint32_t)(timeout / 1000);
    *actualTimeout = timeout ? timeout : UINT64_MAX;
    return ACL_SUCCESS;
}

aclError aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs)
{
    ENTER();
    REQUIRE(timeoutMs, ACL_ERROR_INVALID_PARAM);
    *timeoutMs = execution_ms;
    return ACL_SUCCESS;
}

aclError aclrtGetOpTimeOutInterval(uint64_t *interval)
{
    ENTER();
    int32_t device;
    REQUIRE(interval, ACL_ERROR_INVALID_PARAM);
    aclError code = rtGetDevice(&device);
    REQUIRE(code == ACL_SUCCESS, code);
    *interval = 4294967; /* microseconds: 2^32 ticks of a nanosecond */
    return ACL_SUCCESS;
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
    ENTER();
    (void)timeout;
    return ACL_SUCCESS;
}

aclError aclrtGetStreamAvailableNum(uint32_t *streamCount)
{
    ENTER();
    REQUIRE(streamCount, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtStreamAvailable(streamCount));
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
    ENTER();
    REQUIRE(value, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtStreamSetAttribute(stream, stmAttrType, value));
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
    ENTER();
    REQUIRE(value, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtStreamGetAttribute(stream, stmAttrType, value));
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)
{
    ENTER();
    REQUIRE(flag <= 1, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtStreamSetAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &(aclrtStreamAttrValue){.overflowSwitch = flag}));
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)
{
    ENTER();
    aclrtStreamAttrValue value = {0};
    REQUIRE(flag, ACL_ERROR_INVALID_PARAM);
    aclError code = rtStreamGetAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value);
    REQUIRE(code == ACL_SUCCESS, code);
    *flag = value.overflowSwitch;
    return ACL_SUCCESS;
}

/* A stream of a model that is built by hand: its tasks go, once the model does not hold it any more. */
aclError aclrtPersistentTaskClean(aclrtStream stream)
{
    ENTER();
    int32_t id;
    uint32_t priority, flags;
    aclError code = aclsimStreamDescribe(stream, &id, &priority, &flags);
    REQUIRE(code == ACL_SUCCESS, code);
    REQUIRE(flags & ACL_STREAM_PERSISTENT, ACL_ERROR_RT_PARAM_INVALID);
    return ACL_SUCCESS;
}

aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream)
{
    ENTER();
    REQUIRE(activeStream && stream, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsActiveStream(activeStream, stream));
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId)
{
    ENTER();
    REQUIRE(event && eventId, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtEventGetId(event, eventId));
}

aclError aclrtGetEventAvailNum(uint32_t *eventCount)
{
    ENTER();
    REQUIRE(eventCount, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtEventAvailable(eventCount));
}
