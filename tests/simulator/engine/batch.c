/* Batches: checked as the runtime checks them, copied one by one. */
#include "capture.h"

#define MOST_SYNCHRONOUS 4096u

static aclError checkAttributes(const struct aclsim_batch *batch)
{
    if (batch->attr_count == 0 || batch->attr_count > batch->count || batch->attrs_from[0] != 0) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    for (size_t i = 1; i < batch->attr_count; i++) {
        if (batch->attrs_from[i] <= batch->attrs_from[i - 1] || batch->attrs_from[i] >= batch->count) {
            return ACL_ERROR_RT_PARAM_INVALID;
        }
    }
    return ACL_SUCCESS;
}

static const aclrtMemcpyBatchAttr *attributesOf(const struct aclsim_batch *batch, size_t element)
{
    size_t at = 0;
    while (at + 1 < batch->attr_count && element >= batch->attrs_from[at + 1]) {
        at++;
    }
    return &batch->attrs[at];
}

/* Unregistered memory is the host's; a device block must belong to the claimed device. */
static bool isWhere(const void *address, const aclrtMemLocation *claimed, aclrtMemLocationType *real)
{
    aclrtPtrAttributes attributes;
    (void)rtsPointerGetAttributes(address, &attributes);
    aclrtMemLocationType type = attributes.location.type;
    *real = type == ACL_MEM_LOCATION_TYPE_UNREGISTERED ? ACL_MEM_LOCATION_TYPE_HOST : type;
    aclrtMemLocationType wanted =
        claimed->type == ACL_MEM_LOCATION_TYPE_HOST_NUMA ? ACL_MEM_LOCATION_TYPE_HOST : claimed->type;
    return *real == wanted && (*real != ACL_MEM_LOCATION_TYPE_DEVICE || attributes.location.id == claimed->id);
}

static aclError checkElement(const struct aclsim_batch *batch, size_t i)
{
    const aclrtMemcpyBatchAttr *attributes = attributesOf(batch, i);
    aclrtMemLocationType to, from;
    bool claimed = isWhere(batch->dsts[i], &attributes->dstLoc, &to) && isWhere(batch->srcs[i], &attributes->srcLoc, &from);
    bool good = claimed && to != from;
    if (!good && batch->fail) {
        *batch->fail = i;
    }
    return good ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

static aclError prepared(const struct aclsim_batch *batch)
{
    if (batch->fail) {
        *batch->fail = SIZE_MAX;
    }
    aclError code = checkAttributes(batch);
    return code == ACL_SUCCESS && !contextCurrent() ? ACL_ERROR_RT_CONTEXT_NULL : code;
}

/* Nothing is copied unless every element may be. */
aclError rtsMemcpyBatch(const struct aclsim_batch *batch)
{
    aclError code = prepared(batch);
    if (code == ACL_SUCCESS && batch->count > MOST_SYNCHRONOUS) {
        code = ACL_ERROR_RT_PARAM_INVALID;
    }
    for (size_t i = 0; i < batch->count && code == ACL_SUCCESS; i++) {
        code = checkElement(batch, i);
    }
    for (size_t i = 0; i < batch->count && code == ACL_SUCCESS; i++) {
        if (batch->sizes[i]) {
            code = rtMemcpy(batch->dsts[i], batch->sizes[i], batch->srcs[i], batch->sizes[i], ACL_MEMCPY_DEFAULT);
        }
    }
    return code;
}

/* One after the other: elements before a bad one are queued. A size of 0 is bad here. */
aclError rtsMemcpyBatchAsync(const struct aclsim_batch *batch, aclrtStream stream)
{
    aclError code = prepared(batch);
    for (size_t i = 0; i < batch->count && code == ACL_SUCCESS; i++) {
        if (batch->sizes[i] == 0 || !batch->dsts[i] || !batch->srcs[i]) {
            if (batch->fail) {
                *batch->fail = i;
            }
            return ACL_ERROR_RT_PARAM_INVALID;
        }
        code = checkElement(batch, i);
        if (code == ACL_SUCCESS) {
            code = rtMemcpyAsync(batch->dsts[i], batch->rooms[i], batch->srcs[i], batch->sizes[i], ACL_MEMCPY_DEFAULT,
                                 stream);
        }
    }
    return code;
}
