// Another thread releases what a stream has used as soon as a host function after it says so, often before the call that launched it has
// returned: of a stream, of one that waited for another, of a graph.
#include "order.h"
#include <pthread.h>
#include <semaphore.h>

enum { ROUNDS = 40 };
static char *block[ROUNDS], *source[ROUNDS];
static sem_t is_done, is_released;

static void done(void *unused) {
    (void)unused;
    sem_post(&is_done);
}

static void *releases(void *unused) {
    MUST(aclrtSetDevice(0));
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&is_done);
        MUST(aclrtFree(block[i]));
        MUST(aclrtFreeHost(source[i]));
        sem_post(&is_released);
    }
    MUST(aclrtResetDevice(0));
    return unused;
}

static void fill(int i, aclrtStream on) {
    MUST(aclrtMemcpyAsync(block[i], N, source[i], N, ACL_MEMCPY_HOST_TO_DEVICE, on));
}

int main(void) {
    begin();
    sem_init(&is_done, 0, 0);
    sem_init(&is_released, 0, 0);
    aclrtStream first = stream(), second = stream();
    pthread_t thread;
    pthread_create(&thread, NULL, releases, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        block[i] = device(N);
        source[i] = pinned(N);
        if (i % 4 == 3) {
            aclmdlRI graph = NULL;
            MUST(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
            fill(i, first);
            MUST(aclrtLaunchHostFunc(first, done, NULL));
            MUST(aclmdlRICaptureEnd(first, &graph));
            MUST(aclmdlRIExecuteAsync(graph, second));
            sem_wait(&is_released);
            MUST(aclrtSynchronizeStream(second));
            MUST(aclmdlRIDestroy(graph));
            continue;
        }
        fill(i, first);
        aclrtEvent event = recorded(first);
        MUST(aclrtStreamWaitEvent(second, event));
        MUST(aclrtLaunchHostFunc(i % 2 ? first : second, done, NULL));
        sem_wait(&is_released);
        MUST(aclrtSynchronizeDevice());
        MUST(aclrtDestroyEvent(event));
    }
    pthread_join(thread, NULL);
    MUST(aclrtDestroyStream(first));
    MUST(aclrtDestroyStream(second));
    end();
    return 0;
}
