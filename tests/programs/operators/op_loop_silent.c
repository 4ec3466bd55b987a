//@ flags: -lopapi -lnnopbase
// A graph's operators one after the other, as ggml-cann runs them: tensors for one operator, a workspace out of a pool, phase two, and the
// tensors destroyed before the stream has come there. Strides in elements, of dimensions turned round.
#include "operators.h"

enum { SIZE = 16, STEPS = 50 };

static char *pool;
static size_t used;

static void *scratch(size_t size) {
    char *at = pool + used;
    used += (size + 127) / 128 * 128;
    return at;
}

static aclTensor *wrap(float *data, int64_t *ne, int64_t *nb) {
    int64_t dims[4], strides[4], reach = 1;
    for (int i = 0; i < 4; i++) {
        dims[i] = ne[3 - i];
        strides[i] = nb[3 - i] / (int64_t)sizeof(float);
        reach += (dims[i] - 1) * strides[i];
    }
    return aclCreateTensor(dims, 4, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, &reach, 1, data);
}

int main(void) {
    begin();
    MUST(aclnnInit(NULL));
    aclrtStream queue = stream();
    pool = device(1 << 20);
    float *values = floats(SIZE * SIZE), *sums = floats(SIZE * SIZE);
    float ones[SIZE * SIZE], one = 1;
    for (int i = 0; i < SIZE * SIZE; i++) ones[i] = 1;
    MUST(aclrtMemcpy(values, sizeof ones, ones, sizeof ones, ACL_MEMCPY_HOST_TO_DEVICE));
    int64_t ne[] = {SIZE, SIZE, 1, 1}, nb[] = {4, 4 * SIZE, 4 * SIZE * SIZE, 4 * SIZE * SIZE}, turned[] = {4 * SIZE, 4, nb[2], nb[3]};
    for (int step = 0; step < STEPS; step++) {
        aclTensor *source = wrap(values, ne, turned), *sum = wrap(sums, ne, nb);
        aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
        uint64_t size;
        aclOpExecutor *executor;
        MUST(aclnnInplaceAddGetWorkspaceSize(sum, source, alpha, &size, &executor));
        void *workspace = size > 0 ? scratch(size) : NULL;
        MUST(aclnnInplaceAdd(workspace, size, executor, queue));
        used = 0;
        MUST(aclDestroyTensor(source));
        MUST(aclDestroyTensor(sum));
        MUST(aclDestroyScalar(alpha));
    }
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtMemcpy(ones, sizeof ones, sums, sizeof ones, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("%g\n", ones[SIZE * SIZE - 1]);
    MUST(aclrtFree(values));
    MUST(aclrtFree(sums));
    MUST(aclrtFree(pool));
    MUST(aclrtDestroyStream(queue));
    MUST(aclnnFinalize());
    end();
    return 0;
}
