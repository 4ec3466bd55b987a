/* Plans an operator on the thread that calls, and runs it on that thread or on another, as frameworks with a task queue do. */
#include "../operators/operators.h"
#include <pthread.h>

struct task {
    void *workspace;
    uint64_t size;
    aclOpExecutor *executor;
    aclrtStream stream;
};

static aclrtStream queue;
static float *in_data, *out_data;
static void *workspace;

void open_queue(void) {
    begin();
    queue = stream();
    in_data = floats(1024);
    out_data = floats(1024);
    workspace = device(8192);
}

static void *run(void *argument) {
    struct task *task = argument;
    MUST(aclrtSetDevice(0));
    MUST(aclnnMatmul(task->workspace, task->size, task->executor, task->stream));
    return NULL;
}

void multiply(int missing, int is_queued) {
    aclTensor *in = matrix(32, 32, in_data), *out = matrix(32, 32, out_data);
    struct task task = {workspace, 0, NULL, queue};
    MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, &task.size, &task.executor));
    task.size -= (uint64_t)missing;
    pthread_t worker;
    if (!is_queued) {
        run(&task);
    } else {
        MUST(pthread_create(&worker, NULL, run, &task));
        MUST(pthread_join(worker, NULL));
    }
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclDestroyTensor(in));
    MUST(aclDestroyTensor(out));
}

void close_queue(void) {
    void *blocks[] = {in_data, out_data, workspace};
    for (int i = 0; i < 3; i++) MUST(aclrtFree(blocks[i]));
    MUST(aclrtDestroyStream(queue));
    end();
}
