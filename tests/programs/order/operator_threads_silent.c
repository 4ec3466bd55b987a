//@ flags: -lopapi -lnnopbase
//@ env: ACLSIM_STREAM_DELAY_US=2000
// A tensor that one thread makes and another gives to its operator: what the first runs in between on its own stream has nothing to do with
// it. And a phase two in another thread than its phase one.
#include "../operators/operators.h"
#include <pthread.h>

struct job {
    aclTensor *in, *out;
    char *workspace;
    aclrtStream on;
    aclOpExecutor *executor;
    uint64_t size;
};

static void *both_phases(void *argument) {
    struct job *job = argument;
    MUST(aclrtSetDevice(0));
    MUST(aclnnMatmulGetWorkspaceSize(job->in, job->in, job->out, 0, &job->size, &job->executor));
    MUST(aclnnMatmul(job->workspace, job->size, job->executor, job->on));
    return NULL;
}

static void *phase_two(void *argument) {
    struct job *job = argument;
    MUST(aclrtSetDevice(0));
    MUST(aclnnMatmul(job->workspace, job->size, job->executor, job->on));
    return NULL;
}

static void in_thread(void *(*work)(void *), struct job *job) {
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, work, job));
    MUST(pthread_join(thread, NULL));
}

static void add(float *data, aclrtStream queue) {
    aclTensor *in = matrix(8, 8, data), *out = matrix(8, 8, data);
    uint64_t none;
    aclOpExecutor *executor;
    MUST(aclnnInplaceMulGetWorkspaceSize(out, in, &none, &executor));
    MUST(aclnnInplaceMul(NULL, none, executor, queue));
    MUST(aclDestroyTensor(in));
    MUST(aclDestroyTensor(out));
}

int main(void) {
    begin();
    aclrtStream mine = stream(), theirs = stream();
    for (int is_first = 0; is_first < 2; is_first++) {
        float *a = floats(256), *b = floats(256), *own = floats(64);
        struct job job = {matrix(16, 16, a), matrix(16, 16, b), device(1024), theirs, NULL, 0};
        if (is_first) add(own, mine);
        in_thread(both_phases, &job);
        if (!is_first) add(own, mine);
        MUST(aclDestroyTensor(job.in));
        MUST(aclDestroyTensor(job.out));
        MUST(aclrtSynchronizeStream(theirs)); // not ours, which has never seen a and b
        MUST(aclrtFree(a));
        MUST(aclrtFree(b));
        MUST(aclrtFree(job.workspace));
        MUST(aclrtSynchronizeStream(mine));
        MUST(aclrtFree(own));
    }
    float *a = floats(256), *b = floats(256);
    struct job job = {matrix(16, 16, a), matrix(16, 16, b), device(1024), theirs, NULL, 0};
    MUST(aclnnMatmulGetWorkspaceSize(job.in, job.in, job.out, 0, &job.size, &job.executor));
    MUST(aclDestroyTensor(job.in));
    MUST(aclDestroyTensor(job.out));
    in_thread(phase_two, &job);
    MUST(aclrtSynchronizeStream(theirs));
    void *blocks[] = {a, b, job.workspace};
    for (int i = 0; i < 3; i++) MUST(aclrtFree(blocks[i]));
    MUST(aclrtDestroyStream(mine));
    MUST(aclrtDestroyStream(theirs));
    end();
    return 0;
}
