//@ flags: -lopapi -lnnopbase
// Tensors over parts of one block, as frameworks make them: slices with an offset, views by their own address, windows, in place, columns,
// slots of a cache, rows that are joined in place.
#include "../operators/operators.h"

static aclrtStream queue;

/* A vector of `length` from `from` on: of the whole block, or by its own address. */
static aclTensor *slice(float *data, int64_t from, int64_t length, int isByOffset) {
    const int64_t dims[] = {length}, strides[] = {1}, all[] = {1024};
    if (isByOffset) {
        return aclCreateTensor(dims, 1, ACL_FLOAT, strides, from, ACL_FORMAT_ND, all, 1, data);
    }
    return aclCreateTensor(dims, 1, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dims, 1, data + from);
}

/* `columns` of 16 rows of 64, by their own address, with the storage that they reach. */
static aclTensor *columns(float *data, int64_t from, int64_t count) {
    const int64_t dims[] = {16, count}, strides[] = {64, 1}, reach[] = {15 * 64 + count};
    return aclCreateTensor(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, reach, 1, data + from);
}

static void cast(aclTensor *from, aclTensor *to) {
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    MUST(aclnnCastGetWorkspaceSize(from, ACL_FLOAT, to, &size, &executor));
    MUST(aclnnCast(NULL, 0, executor, queue));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclDestroyTensor(from));
    MUST(aclDestroyTensor(to));
}

static void add(aclTensor *one, aclTensor *other, aclTensor *sum) {
    const float alphaValue = 1;
    aclScalar *alpha = aclCreateScalar((void *)&alphaValue, ACL_FLOAT);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    MUST(aclnnAddGetWorkspaceSize(one, other, alpha, sum, &size, &executor));
    void *workspace = size > 0 ? device(size) : NULL;
    MUST(aclnnAdd(workspace, size, executor, queue));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclDestroyTensor(one));
    MUST(aclDestroyTensor(other));
    MUST(aclDestroyTensor(sum));
    MUST(aclDestroyScalar(alpha));
    if (workspace != NULL) {
        MUST(aclrtFree(workspace));
    }
}

int main(void) {
    begin();
    queue = stream();
    float *data = floats(1024), *more = floats(1024);
    for (int byOffset = 0; byOffset < 2; byOffset++) {
        cast(slice(data, 0, 100, byOffset), slice(data, 100, 100, byOffset)); /* neighbors without padding, at no multiple of 64 */
        cast(slice(data, 33, 100, byOffset), slice(data, 33, 100, byOffset)); /* in place */
        cast(slice(data, 1, 7, byOffset), slice(more, 3, 7, byOffset));
        /* Differences: windows that share all but one. */
        add(slice(data, 0, 100, byOffset), slice(data, 1, 100, byOffset), slice(more, 0, 100, byOffset));
        /* Slots of a cache, and rows joined in place. */
        for (int64_t slot = 0; slot < 4; slot++) {
            cast(slice(more, slot * 24, 24, byOffset), slice(data, 500 + slot * 24, 24, byOffset));
        }
    }
    cast(columns(data, 0, 32), columns(data, 32, 32));
    cast(columns(data, 32, 32), columns(data, 0, 32));
    /* Two that live on, each written by itself. */
    aclTensor *low = slice(data, 0, 100, 0), *high = slice(data, 50, 100, 0);
    cast(slice(more, 0, 100, 0), slice(more, 200, 100, 0));
    MUST(aclDestroyTensor(low));
    MUST(aclDestroyTensor(high));
    MUST(aclrtFree(data));
    MUST(aclrtFree(more));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
