// Releases come late: after the ends of threads, in exit handlers, in destructors.
#include "process.h"

static char *for_handler, *for_destructor;
static pthread_key_t early_key, late_key;

static void release(void *block) {
    MUST(aclrtFree(block));
}

/* Waits until the last round of destructors. */
static void release_at_last(void *block) {
    static _Thread_local int rounds;
    if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(late_key, block);
    } else {
        release(block);
    }
}

static void *allocate(void *unused) {
    MUST(aclrtSetDevice(0));
    pthread_setspecific(early_key, device(64));
    pthread_setspecific(late_key, device(64));
    return unused;
}

static void handler(void) {
    release(for_handler);
}

__attribute__((destructor)) static void destructor(void) {
    release(for_destructor);
    printf("%zu blocks left\n", aclsimLiveBlocks(0));
    fflush(stdout);
}

int main(void) {
    pthread_t threads[10];
    atexit(handler);
    pthread_key_create(&early_key, release);
    begin();
    pairs(1);
    pthread_key_create(&late_key, release_at_last);
    for_handler = device(64);
    for_destructor = device(64);
    for (int i = 0; i < 10; i++) {
        pthread_create(&threads[i], NULL, allocate, NULL);
        pthread_join(threads[i], NULL);
    }
    return 0;
}
