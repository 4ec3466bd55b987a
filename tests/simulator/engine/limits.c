/* Cores that a process, a stream or a thread may use, attributes of streams and options of contexts. All are kept and
 * answered; none changes how tasks run. */
#include "capture.h"

#include "handles.h"
#include "settings.h"

/* Streams of a device (config/910_B_93/dev_info_reg.cc). */
#define MOST_STREAMS 2048u

enum { CUBE, VECTOR };

/* How many fewer cores than the chip has, so that 0 needs no initialization. */
static _Atomic uint32_t spared[MOST_DEVICES][2];
static _Thread_local const struct stream *in_use; /* whose limits hold in this thread; never followed when it is dead */

static uint32_t coresOf(aclrtDevResLimitType type)
{
    return type == ACL_RT_DEV_RES_CUBE_CORE ? aclsimSoc()->cube_cores : aclsimSoc()->vector_cores;
}

static uint32_t deviceCores(int32_t device, aclrtDevResLimitType type)
{
    return coresOf(type) - spared[device][type];
}

/* The device must be open (api_impl.cc, SetDeviceResLimit). */
static aclError opened(int32_t id)
{
    const struct device *device = deviceAt(id);
    return !device ? ACL_ERROR_RT_INVALID_DEVICEID : device->contexts ? ACL_SUCCESS : ACL_ERROR_RT_DEV_SETUP_ERROR;
}

aclError rtDeviceLimit(int32_t device, aclrtDevResLimitType type, uint32_t *value)
{
    aclError code = opened(device);
    if (code == ACL_SUCCESS) {
        *value = deviceCores(device, type);
    }
    return code;
}

aclError rtDeviceSetLimit(int32_t device, aclrtDevResLimitType type, uint32_t value)
{
    aclError code = opened(device);
    if (code == ACL_SUCCESS && value > coresOf(type)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (code == ACL_SUCCESS) {
        spared[device][type] = coresOf(type) - value;
    }
    return code;
}

aclError rtDeviceResetLimit(int32_t device)
{
    aclError code = opened(device);
    if (code == ACL_SUCCESS) {
        spared[device][CUBE] = spared[device][VECTOR] = 0;
    }
    return code;
}

aclError rtStreamLimit(aclrtStream handle, aclrtDevResLimitType type, uint32_t *value)
{
    struct stream *stream;
    aclError code = streamAny(handle, &stream);
    if (code == ACL_SUCCESS) {
        *value = stream->limits[type] ? stream->limits[type] : deviceCores(stream->context->device, type);
    }
    return code;
}

aclError rtStreamSetLimit(aclrtStream handle, aclrtDevResLimitType type, uint32_t value)
{
    struct stream *stream;
    aclError code = streamAny(handle, &stream);
    if (code == ACL_SUCCESS && value > coresOf(type)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (code == ACL_SUCCESS) {
        stream->limits[type] = value;
    }
    return code;
}

aclError rtStreamResetLimit(aclrtStream handle)
{
    struct stream *stream;
    aclError code = streamAny(handle, &stream);
    if (code == ACL_SUCCESS) {
        stream->limits[CUBE] = stream->limits[VECTOR] = 0;
    }
    return code;
}

aclError rtStreamUseLimit(aclrtStream handle, bool use)
{
    struct stream *stream;
    aclError code = streamAny(handle, &stream);
    if (code == ACL_SUCCESS && use) {
        in_use = stream;
    } else if (code == ACL_SUCCESS && in_use == stream) {
        in_use = NULL;
    }
    return code;
}

aclError rtThreadLimit(aclrtDevResLimitType type, uint32_t *value)
{
    const struct context *context = contextCurrent();
    if (in_use && handleAlive(HANDLE_STREAM, in_use) && in_use->limits[type]) {
        *value = in_use->limits[type];
        return ACL_SUCCESS;
    }
    if (!context) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    *value = deviceCores(context->device, type);
    return ACL_SUCCESS;
}

/* A stream that stops at a failure never continues after one again (api_impl.cc, StreamSetMode). */
static aclError setFailureMode(struct stream *stream, uint64_t mode)
{
    if (stream->model || (stream->failure_mode == 1 && mode % 2 == 0)) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    stream->failure_mode = mode % 2;
    return ACL_SUCCESS;
}

aclError rtStreamSetAttribute(aclrtStream handle, aclrtStreamAttr attribute, const aclrtStreamAttrValue *value)
{
    struct stream *stream;
    aclError code = attribute == ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK && value->overflowSwitch > 1 ? ACL_ERROR_RT_PARAM_INVALID
                    : attribute == ACL_STREAM_ATTR_CACHE_OP_INFO && value->cacheOpInfoSwitch > 1   ? ACL_ERROR_RT_PARAM_INVALID
                                                                                                   : streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    bool in_stream_order = attribute == ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK || attribute == ACL_STREAM_ATTR_USER_CUSTOM_TAG;
    if (in_stream_order && stream->capture) {
        return ACL_ERROR_RT_STREAM_CAPTURED;
    }
    switch (attribute) {
    case ACL_STREAM_ATTR_FAILURE_MODE:
        return setFailureMode(stream, value->failureMode);
    case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
        stream->overflow_switch = value->overflowSwitch;
        return ACL_SUCCESS;
    case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
        stream->tag = value->userCustomTag;
        return ACL_SUCCESS;
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
        stream->caches_information = value->cacheOpInfoSwitch;
        return ACL_SUCCESS;
    case ACL_STREAM_ATTR_PRIORITY:
        if (value->streamPriority > 7) {
            return ACL_ERROR_RT_PARAM_INVALID;
        }
        stream->priority = value->streamPriority;
        return ACL_SUCCESS;
    default:
        return ACL_ERROR_RT_PARAM_INVALID;
    }
}

aclError rtStreamGetAttribute(aclrtStream handle, aclrtStreamAttr attribute, aclrtStreamAttrValue *value)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    switch (attribute) {
    case ACL_STREAM_ATTR_FAILURE_MODE:
        value->failureMode = stream->failure_mode;
        return ACL_SUCCESS;
    case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
        value->overflowSwitch = stream->overflow_switch;
        return ACL_SUCCESS;
    case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
        value->userCustomTag = stream->tag;
        return ACL_SUCCESS;
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
        value->cacheOpInfoSwitch = stream->caches_information;
        return ACL_SUCCESS;
    case ACL_STREAM_ATTR_PRIORITY:
        value->streamPriority = stream->priority;
        return ACL_SUCCESS;
    default:
        return ACL_ERROR_RT_PARAM_INVALID;
    }
}

aclError rtContextOption(uint32_t option, int64_t *value)
{
    struct context *context = contextCurrent();
    if (!context) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    if (context->options[option] == 0) {
        return ACL_ERROR_RT_SYSPARAMOPT_NOT_SET;
    }
    *value = context->options[option] - 1;
    return ACL_SUCCESS;
}

aclError rtContextSetOption(uint32_t option, int64_t value)
{
    struct context *context = contextCurrent();
    if (!context) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    context->options[option] = value + 1;
    return ACL_SUCCESS;
}

aclError rtStreamAvailable(uint32_t *count)
{
    struct context *context = contextCurrent();
    if (!context) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    uint32_t live = 0;
    topologyLock();
    for (const struct stream *at = deviceAt(context->device)->primary.streams; at; at = at->next) {
        live++;
    }
    for (const struct context *other = contextsCreated(); other; other = other->next) {
        for (const struct stream *at = other->device == context->device ? other->streams : NULL; at; at = at->next) {
            live++;
        }
    }
    topologyUnlock();
    *count = live < MOST_STREAMS ? MOST_STREAMS - live : 0;
    return ACL_SUCCESS;
}
