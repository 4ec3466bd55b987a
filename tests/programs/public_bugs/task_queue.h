/* A queue with its own worker thread, like torch_npu's task queue: calls are enqueued here and executed there. */
#ifndef PROGRAMS_TASK_QUEUE_H
#define PROGRAMS_TASK_QUEUE_H
#include "../operators/operators.h"
#include <pthread.h>
#include <semaphore.h>

struct task {
    aclrtStream stream;
    aclOpExecutor *executor;
    void *workspace;
    uint64_t size;
};

static struct task task;
static sem_t put, done;

static void *consumer(void *nothing) {
    MUST(aclrtSetDevice(0));
    while (sem_wait(&put) == 0 && task.executor != NULL) {
        MUST(aclnnMatmul(task.workspace, task.size, task.executor, task.stream));
        sem_post(&done);
    }
    MUST(aclrtResetDevice(0));
    return nothing;
}

static inline pthread_t queue_begin(void) {
    pthread_t thread;
    sem_init(&put, 0, 0);
    sem_init(&done, 0, 0);
    MUST(pthread_create(&thread, NULL, consumer, NULL));
    return thread;
}

static inline void queue_put(struct task what) {
    task = what;
    sem_post(&put);
}

static inline void queue_end(pthread_t thread) {
    queue_put((struct task){0});
    MUST(pthread_join(thread, NULL));
}
#endif
