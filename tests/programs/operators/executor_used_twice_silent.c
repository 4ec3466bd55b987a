//@ flags: -lopapi -lnnopbase
// Executors that often reuse the address of another: handed out and run in four threads at once, dropped without a run, repeatable, refused
// with their workspace, run in another thread than the one that planned them; and generated ones, planned once and matched later.
#include "operators.h"
#include <pthread.h>

enum { THREADS = 4, STEPS = 200 };

struct work {
    float *in, *out;
    char *workspace;
};

static void *many(void *argument) {
    const struct work *work = argument;
    MUST(aclrtSetDevice(0));
    aclrtStream queue = stream();
    for (int step = 0; step < STEPS; step++) {
        int64_t size = step % 2 ? 16 : 8;
        aclTensor *in = matrix(size, size, work->in), *out = matrix(size, size, work->out);
        uint64_t need;
        aclOpExecutor *executor;
        MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, &need, &executor));
        if (step % 7 == 0) {
            MUST(aclDestroyAclOpExecutor(executor));
        } else {
            if (step % 5 == 0) {
                MUST(aclSetAclOpExecutorRepeatable(executor));
                MUST(aclnnMatmul(work->workspace, need, executor, queue));
            }
            MUST(aclnnMatmul(work->workspace, need, executor, queue));
            if (step % 5 == 0) MUST(aclDestroyAclOpExecutor(executor));
        }
        MUST(aclDestroyTensor(in));
        MUST(aclDestroyTensor(out));
    }
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtDestroyStream(queue));
    return NULL;
}

struct phase_two {
    aclOpExecutor *executor;
    char *workspace;
    uint64_t size;
    aclrtStream queue;
};

static void *other(void *argument) {
    const struct phase_two *two = argument;
    MUST(aclrtSetDevice(0));
    MUST(aclnnMatmul(two->workspace, two->size, two->executor, two->queue));
    return NULL;
}

int main(void) {
    begin();
    pthread_t threads[THREADS];
    struct work works[THREADS];
    for (int i = 0; i < THREADS; i++) {
        works[i] = (struct work){floats(256), floats(256), device(1024)};
        pthread_create(&threads[i], NULL, many, &works[i]);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);

    aclrtStream queue = stream();
    aclTensor *in = matrix(16, 16, works[0].in), *out = matrix(16, 16, works[0].out);
    uint64_t size;
    aclOpExecutor *executor;
    for (int step = 0; step < 3; step++) {
        MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, &size, &executor));
        struct phase_two two = {executor, works[0].workspace, size, queue};
        pthread_create(&threads[0], NULL, other, &two);
        pthread_join(threads[0], NULL);
    }
    float *gamma = floats(16), *norms = floats(16);
    aclTensor *scale = matrix(1, 16, gamma), *roots = matrix(16, 1, norms);
    for (int step = 0; step < 3; step++) {
        MUST(aclnnRmsNormGetWorkspaceSize(in, scale, 1e-5, out, roots, &size, &executor));
        MUST(aclnnRmsNorm(works[0].workspace, size, executor, queue));
    }
    MUST(aclrtSynchronizeStream(queue));
    aclTensor *tensors[] = {in, out, scale, roots};
    for (int i = 0; i < 4; i++) MUST(aclDestroyTensor(tensors[i]));
    for (int i = 0; i < THREADS; i++) {
        void *blocks[] = {works[i].in, works[i].out, works[i].workspace};
        for (int j = 0; j < 3; j++) MUST(aclrtFree(blocks[j]));
    }
    MUST(aclrtFree(gamma));
    MUST(aclrtFree(norms));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
