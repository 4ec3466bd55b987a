/* Changes of and waits for device memory in place. */
#include <stdlib.h>
#include <string.h>

#include "event.h"

#define MOST_SUM_BYTES 0xFFFFFFFFull

static bool isDevice(const void *address)
{
    aclrtPtrAttributes attributes;
    (void)rtsPointerGetAttributes(address, &attributes);
    return attributes.location.type == ACL_MEM_LOCATION_TYPE_DEVICE;
}

struct reduction {
    void *dst;
    const void *src;
    uint64_t count;
    aclrtReduceKind kind;
    aclDataType type;
};

#define COMBINE(type) \
    static void combine_##type(type *to, const type *from, uint64_t count, aclrtReduceKind kind) \
    { \
        for (uint64_t i = 0; i < count; i++) { \
            type value = from[i]; \
            switch (kind) { \
            case ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM: \
                to[i] = (type)(to[i] + value); \
                break; \
            case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX: \
                to[i] = value > to[i] ? value : to[i]; \
                break; \
            case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN: \
                to[i] = value < to[i] ? value : to[i]; \
                break; \
            default: \
                to[i] = to[i] == value; \
            } \
        } \
    }
COMBINE(float)
COMBINE(int8_t)
COMBINE(int16_t)
COMBINE(int32_t)
COMBINE(uint8_t)

static uint64_t widthOf(aclDataType type)
{
    switch (type) {
    case ACL_FLOAT:
    case ACL_INT32:
        return 4;
    case ACL_INT16:
        return 2;
    case ACL_INT8:
    case ACL_UINT8:
        return 1;
    default:
        return 0;
    }
}

static aclError runReduction(void *argument)
{
    const struct reduction *reduction = argument;
    uint64_t to_reach, from_reach;
    void *to = aclsimView(reduction->dst, reduction->count, &to_reach);
    const void *from = aclsimView(reduction->src, reduction->count, &from_reach);
    uint64_t reach = to_reach < from_reach ? to_reach : from_reach;
    uint64_t count = reach / widthOf(reduction->type);
    switch (reduction->type) {
    case ACL_FLOAT:
        combine_float(to, from, count, reduction->kind);
        break;
    case ACL_INT32:
        combine_int32_t(to, from, count, reduction->kind);
        break;
    case ACL_INT16:
        combine_int16_t(to, from, count, reduction->kind);
        break;
    case ACL_INT8:
        combine_int8_t(to, from, count, reduction->kind);
        break;
    default:
        combine_uint8_t(to, from, count, reduction->kind);
    }
    return reach == reduction->count ? ACL_SUCCESS : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

/* Half floats are real there and not here. */
aclError rtsLaunchReduceAsyncTask(void *dst, const void *src, uint64_t count, aclrtReduceKind kind, aclDataType type,
                                  aclrtStream stream)
{
    bool known = (int)kind >= ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM && kind <= ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL;
    if (count == 0 || !known || (kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM && count > MOST_SUM_BYTES)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (widthOf(type) == 0) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    struct reduction *reduction = malloc(sizeof *reduction);
    if (!reduction) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *reduction = (struct reduction){dst, src, count, kind, type};
    return aclsimEnqueue(stream, runReduction, free, reduction);
}

struct word {
    void *address;
    uint64_t value;
    uint32_t flag;
};

static aclError queueWord(void *address, uint64_t value, uint32_t flag, aclError (*run)(void *), aclrtStream stream)
{
    struct word *word = malloc(sizeof *word);
    if (!word) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *word = (struct word){address, value, flag};
    return aclsimEnqueue(stream, run, free, word);
}

static aclError runWrite(void *argument)
{
    const struct word *word = argument;
    uint64_t reach;
    void *to = aclsimView(word->address, sizeof word->value, &reach);
    memcpy(to, &word->value, reach);
    eventsWake();
    return reach == sizeof word->value ? ACL_SUCCESS : ACL_ERROR_RT_AICORE_EXCEPTION;
}

static bool isMet(const struct word *word, uint64_t found)
{
    switch (word->flag) {
    case ACL_STREAM_WAIT_VALUE_GEQ:
        return (int64_t)(found - word->value) >= 0;
    case ACL_STREAM_WAIT_VALUE_EQ:
        return found == word->value;
    case ACL_STREAM_WAIT_VALUE_AND:
        return (found & word->value) != 0;
    default:
        return ~(found | word->value) != 0;
    }
}

/* Woken by value writes; copies and kernels do not wake it, so it also polls. */
static aclError runWait(void *argument)
{
    const struct word *word = argument;
    struct stream *stream = streamSelf();
    aclError code = ACL_ERROR_RT_AICORE_EXCEPTION;
    eventsWake(); /* prepares the condition */
    pthread_mutex_lock(&events_lock);
    for (;;) {
        uint64_t reach, found;
        const void *from = aclsimView(word->address, sizeof found, &reach);
        if (reach != sizeof found) {
            break;
        }
        memcpy(&found, from, sizeof found);
        code = ACL_SUCCESS;
        if (isMet(word, found) || stream->abandoned) {
            break;
        }
        struct timespec deadline;
        deadlineIn(&deadline, 1);
        pthread_cond_timedwait(&events_changed, &events_lock, &deadline);
    }
    pthread_mutex_unlock(&events_lock);
    return code;
}

aclError rtsValueWrite(void *address, uint64_t value, uint32_t flag, aclrtStream stream)
{
    if (!aclsimSoc()->has_values) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    return flag == 0 && isDevice(address) ? queueWord(address, value, flag, runWrite, stream) : ACL_ERROR_RT_PARAM_INVALID;
}

aclError rtsValueWait(void *address, uint64_t value, uint32_t flag, aclrtStream stream)
{
    if (!aclsimSoc()->has_values) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    bool valid = flag <= ACL_STREAM_WAIT_VALUE_NOR && isDevice(address);
    return valid ? queueWord(address, value, flag, runWait, stream) : ACL_ERROR_RT_PARAM_INVALID;
}

/* There is no cache here: only the address counts. */
struct range {
    void *address;
    uint64_t size;
};

static aclError runCache(void *argument)
{
    const struct range *range = argument;
    return rtFlushCache(range->address, range->size);
}

aclError rtCmoAsync(void *src, uint64_t size, aclrtStream stream)
{
    struct range *range = malloc(sizeof *range);
    if (!range) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *range = (struct range){src, size};
    return aclsimEnqueue(stream, runCache, free, range);
}

aclError rtFlushCache(void *address, uint64_t size)
{
    uint64_t reach;
    (void)aclsimView(address, size, &reach);
    return reach == size ? ACL_SUCCESS : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

aclmdlRITaskType valueTask(aclError (*run)(void *))
{
    return run == runWrite ? ACL_MODEL_RI_TASK_VALUE_WRITE
           : run == runWait ? ACL_MODEL_RI_TASK_VALUE_WAIT
                            : ACL_MODEL_RI_TASK_DEFAULT;
}

void valueDescribe(const void *argument, aclmdlRITaskParams *params)
{
    const struct word *word = argument;
    params->valueWaitTaskParams = (struct aclmdlRIValueWaitTaskParams){word->address, word->value, word->flag};
}

aclError valueChange(void *argument, const aclmdlRITaskParams *params)
{
    struct word *word = argument;
    bool waits = params->type == ACL_MODEL_RI_TASK_VALUE_WAIT;
    const struct aclmdlRIValueWaitTaskParams *wanted = &params->valueWaitTaskParams;
    if (!isDevice(wanted->devAddr) || (waits && wanted->flag > ACL_STREAM_WAIT_VALUE_NOR)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    *word = (struct word){wanted->devAddr, wanted->value, waits ? wanted->flag : 0};
    return ACL_SUCCESS;
}
