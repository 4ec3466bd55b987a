// One call of the runtime's (the first argument) does not come back; meanwhile all other threads do all that they do.
// The second argument: how often the call is let through before.
#include "odd.h"
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>

static const char *stuck;
static int passes;
static sem_t entered, go_on;
static pthread_t blocked;
static _Atomic int is_armed, calls;

static void inside(const char *call) {
    if (is_armed && strcmp(call, stuck) == 0 && pthread_equal(pthread_self(), blocked) && passes-- == 0) {
        sem_post(&entered);
        sem_wait(&go_on);
    }
}

static void all_calls(void) {
    void *block = NULL, *host = NULL, *range = NULL;
    char key[65];
    size_t free_bytes, total;
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    if (strcmp(stuck, "aclrtGetDevice") != 0) { // Who sets a device is not asked for it.
        aclrtSetDevice(0);
    }
    aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMallocHost(&host, 4096);
    aclrtMemcpy(block, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemset(block, 4096, 0, 4096);
    aclrtCreateStream(&stream);
    aclrtCreateEvent(&event);
    aclrtMemcpyAsync(host, 4096, block, 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream);
    aclrtSynchronizeStream(stream);
    aclrtProcessReport(1);
    aclrtIpcMemGetExportKey(block, 4096, key, sizeof key, 0);
    aclrtReserveMemAddress(&range, 2 << 20, 0, NULL, 0);
    aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total);
    aclrtReleaseMemAddress(range);
    aclrtDestroyEvent(event);
    aclrtDestroyStream(stream);
    aclrtFree(block);
    aclrtFree(block); // A finding.
    aclrtFreeHost(host);
    calls++;
}

/* Deeper each time: stacks that are new. */
__attribute__((noinline)) static void deeper(int depth) {
    if (depth > 0) {
        deeper(depth - 1);
    } else {
        all_calls();
    }
    __asm__ volatile("" ::: "memory");
}

static void *work(void *rounds) {
    for (intptr_t i = 0; i < (intptr_t)rounds; i++) {
        deeper((int)i);
    }
    return NULL;
}

static void *block_here(void *unused) {
    blocked = pthread_self();
    is_armed = 1;
    all_calls();
    return unused;
}

int main(int argc, char **argv) {
    pthread_t first, threads[4];
    int status = 0;
    stuck = argc > 1 ? argv[1] : "";
    passes = argc > 2 ? atoi(argv[2]) : 0;
    sem_init(&entered, 0, 0);
    sem_init(&go_on, 0, 0);
    *(void (**)(const char *))dlsym(RTLD_DEFAULT, "odd_inside") = inside;
    aclInit(NULL);
    pthread_create(&first, NULL, block_here, NULL);
    sem_wait(&entered);
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, work, (void *)20);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        all_calls();
        _exit(7);
    }
    waitpid(child, &status, 0);
    printf("%d rounds while %s was stuck, child %d\n", calls, stuck, WEXITSTATUS(status));
    sem_post(&go_on);
    pthread_join(first, NULL);
    printf("%d rounds\n", calls);
    return 0;
}
