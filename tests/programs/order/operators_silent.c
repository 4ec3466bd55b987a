//@ flags: -lopapi -lnnopbase
//@ env: ACLSIM_STREAM_DELAY_US=300
// Legal uses of operators that look wrong: one workspace for a stream's operators, made larger when the stream has come to its
// end, shared with another stream after an event, from a pool and released in stream order, released by a host function; no workspace where none
// is needed; an executor that runs again and again, on other addresses; tensors that go before phase two; a captured operator.
#include "../operators/operators.h"
#include "../pools/pool.h"

static char *cache;
static uint64_t cache_size;

/* As torch_npu grows a stream's workspace. */
static char *cached(uint64_t size, aclrtStream on) {
    if (size > cache_size) {
        MUST(aclrtSynchronizeStream(on));
        if (cache != NULL) MUST(aclrtFree(cache));
        cache = device(size);
        cache_size = size;
    }
    return cache;
}

static aclOpExecutor *plan(float *from, float *to, int64_t side, uint64_t *size) {
    aclTensor *in = matrix(side, side, from), *out = matrix(side, side, to);
    aclOpExecutor *executor;
    MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, size, &executor));
    MUST(aclDestroyTensor(in));
    MUST(aclDestroyTensor(out));
    return executor;
}

static void grown(float *a, float *b, aclrtStream first, aclrtStream second) {
    for (int64_t side = 8; side <= 32; side *= 2) {
        for (int step = 0; step < 2; step++) {
            uint64_t size;
            aclOpExecutor *executor = plan(step ? b : a, step ? a : b, side, &size);
            MUST(aclnnMatmul(cached(size, first), size, executor, first));
        }
    }
    aclrtEvent event;
    MUST(aclrtCreateEvent(&event));
    MUST(aclrtRecordEvent(event, first));
    MUST(aclrtStreamWaitEvent(second, event));
    uint64_t size;
    aclOpExecutor *executor = plan(a, b, 32, &size);
    MUST(aclnnMatmul(cached(size, second), size, executor, second));
    MUST(aclrtRecordEvent(event, second));
    MUST(aclrtStreamWaitEvent(first, event));
    MUST(aclrtMemsetAsync(cache, size, 0, size, first));
    MUST(aclrtSynchronizeStream(first)); // and so the second
    MUST(aclrtFree(cache));
    MUST(aclrtDestroyEvent(event));
}

static void released(void *block) { aclrtFree(block); }

static void from_pool(float *a, float *b, aclrtStream queue) {
    aclrtMemPool pool = pool_of_ours();
    for (int step = 0; step < 4; step++) {
        uint64_t size;
        aclOpExecutor *executor = plan(a, b, 16, &size);
        char *workspace = pooled(size, pool, queue);
        MUST(aclnnMatmul(workspace, size, executor, queue));
        MUST(aclrtMemPoolFreeAsync(workspace, queue));
    }
    uint64_t size;
    aclOpExecutor *executor = plan(a, b, 16, &size);
    char *workspace = device(size);
    MUST(aclnnMatmul(workspace, size, executor, queue));
    MUST(aclrtLaunchHostFunc(queue, released, workspace));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtMemPoolDestroy(pool));
}

static void again(float *a, float *b, float *c, aclrtStream queue) {
    aclTensor *in = matrix(16, 16, a), *out = matrix(16, 16, b);
    uint64_t size, none;
    aclOpExecutor *executor, *product;
    MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, &size, &executor));
    MUST(aclSetAclOpExecutorRepeatable(executor));
    char *workspace = device(size);
    for (int step = 0; step < 4; step++) {
        MUST(aclSetTensorAddr(executor, 2, out, step % 2 ? c : b));
        MUST(aclnnMatmul(workspace, size, executor, queue));
        MUST(aclnnInplaceMulGetWorkspaceSize(out, in, &none, &product));
        MUST(aclnnInplaceMul(NULL, none, product, queue));
    }
    MUST(aclDestroyAclOpExecutor(executor));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtFree(workspace));
    MUST(aclDestroyTensor(in));
    MUST(aclDestroyTensor(out));
}

static void captured(float *a, float *b, aclrtStream queue) {
    uint64_t size;
    char *workspace = device(4096);
    aclmdlRI graph = NULL;
    MUST(aclmdlRICaptureBegin(queue, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    aclOpExecutor *executor = plan(a, b, 32, &size);
    MUST(aclnnMatmul(workspace, size, executor, queue));
    MUST(aclmdlRICaptureEnd(queue, &graph));
    for (int step = 0; step < 2; step++) MUST(aclmdlRIExecuteAsync(graph, queue));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclmdlRIDestroy(graph));
    MUST(aclrtFree(workspace));
}

int main(void) {
    begin();
    aclrtStream first = stream(), second = stream();
    float *a = floats(1024), *b = floats(1024), *c = floats(1024);
    grown(a, b, first, second);
    from_pool(a, b, first);
    again(a, b, c, second);
    captured(a, b, first);
    MUST(aclrtSynchronizeDevice());
    void *blocks[] = {a, b, c};
    for (int i = 0; i < 3; i++) MUST(aclrtFree(blocks[i]));
    MUST(aclrtDestroyStream(first));
    MUST(aclrtDestroyStream(second));
    end();
    return 0;
}
