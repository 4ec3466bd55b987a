/* Batches: the checks of the acl layer. A batch of nothing but zeros is done before anything else is looked at. */
#include "../public.h"

static bool isAllZero(const size_t *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (sizes[i]) {
            return false;
        }
    }
    return true;
}

static bool isReservedZero(const aclrtMemcpyBatchAttr *attrs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t byte = 0; byte < sizeof attrs[i].rsv; byte++) {
            if (attrs[i].rsv[byte]) {
                return false;
            }
        }
    }
    return true;
}

static aclError run(const struct aclsim_batch *batch, bool queued, aclrtStream stream)
{
    if (!batch->sizes || batch->count == 0) {
        return ACL_ERROR_INVALID_PARAM;
    }
    if (isAllZero(batch->sizes, batch->count)) {
        if (batch->fail) {
            *batch->fail = SIZE_MAX;
        }
        return ACL_SUCCESS;
    }
    if (!batch->dsts || !batch->rooms || !batch->srcs || !batch->attrs || !batch->attrs_from) {
        return ACL_ERROR_INVALID_PARAM;
    }
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->rooms[i] < batch->sizes[i]) {
            return ACL_ERROR_INVALID_PARAM;
        }
    }
    if (!isReservedZero(batch->attrs, batch->attr_count)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    return queued ? rtsMemcpyBatchAsync(batch, stream) : rtsMemcpyBatch(batch);
}

aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex)
{
    ENTER();
    REQUIRE(failIndex, ACL_ERROR_INVALID_PARAM);
    struct aclsim_batch batch = {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex};
    ANSWER(run(&batch, false, NULL));
}

aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                            aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs)
{
    ENTER();
    struct aclsim_batch batch = {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, NULL};
    ANSWER(run(&batch, false, NULL));
}

aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex,
                               aclrtStream stream)
{
    ENTER();
    REQUIRE(failIndex, ACL_ERROR_INVALID_PARAM);
    struct aclsim_batch batch = {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex};
    ANSWER(run(&batch, true, stream));
}

aclError aclrtMemcpyBatchAsyncV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                                 aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, aclrtStream stream)
{
    ENTER();
    struct aclsim_batch batch = {dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, NULL};
    ANSWER(run(&batch, true, stream));
}
