//@ flags: -lopapi -lnnopbase
// Threads that make and destroy streams, events, tensors, lists and executors: addresses released by one thread are reused by another.
#include "operators.h"
#include <pthread.h>

#define THREADS 6

static void step(int number) {
    aclrtStream queue = stream();
    aclrtEvent event;
    MUST(aclrtCreateEvent(&event));
    float *a = floats(4), *b = floats(4);
    aclTensor *in = matrix(1, 4, a), *out = matrix(1, 4, b);
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnMulGetWorkspaceSize(in, in, out, &size, &executor));
    char *workspace = size > 0 ? device(size) : NULL;
    MUST(aclnnMul(workspace, size, executor, queue));
    MUST(aclrtRecordEvent(event, queue));
    MUST(aclrtSynchronizeStream(queue));
    if (workspace) {
        MUST(aclrtFree(workspace));
    }
    if (number % 2 == 0) {
        const aclTensor *tensors[] = {in, out};
        MUST(aclDestroyTensorList(aclCreateTensorList(tensors, 2)));
    } else {
        MUST(aclDestroyTensor(in));
        MUST(aclDestroyTensor(out));
    }
    MUST(aclDestroyDataBuffer(aclCreateDataBuffer(a, 16)));
    MUST(aclrtFree(a));
    MUST(aclrtFree(b));
    MUST(aclrtDestroyEvent(event));
    MUST(aclrtDestroyStream(queue));
}

static void *work(void *nothing) {
    MUST(aclrtSetDevice(0));
    for (int number = 0; number < 100; number++) {
        step(number);
    }
    MUST(aclrtResetDevice(0));
    return nothing;
}

int main(void) {
    pthread_t threads[THREADS];
    begin();
    for (int i = 0; i < THREADS; i++) {
        MUST(pthread_create(&threads[i], NULL, work, NULL));
    }
    for (int i = 0; i < THREADS; i++) {
        MUST(pthread_join(threads[i], NULL));
    }
    end();
    return 0;
}
