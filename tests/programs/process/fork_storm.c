// Four threads allocate below ever new stacks while two others fork 100 times each; each child allocates too.
// With the argument `wrong`, null is released too; with `copies`, blocks are copied into themselves.
#include "process.h"

static _Atomic int stopping;
static int is_wrong, is_copying;

static void work(void) {
    char *block = device(4096);
    for (int i = 0; is_copying && i < 8; i++) {
        MUST(aclrtMemcpy(block, 64, block + 64, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
    }
    MUST(aclrtFree(block));
    if (is_wrong) {
        aclrtFree(NULL);
    }
}

static void *allocate(void *seed) {
    MUST(aclrtSetDevice(0));
    for (unsigned path = (unsigned)(uintptr_t)seed; !stopping; path = path * 1103515245u + 12345u) {
        descend(12, path >> 8, work);
    }
    return NULL;
}

static void *fork_often(void *seed) {
    uintptr_t failed = 0;
    for (unsigned i = 0; i < 100; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            descend(12, i << 1 | (unsigned)(uintptr_t)seed, work);
            _exit(0);
        }
        failed += ended(child) != 0;
    }
    return (void *)failed;
}

int main(int argc, char **argv) {
    pthread_t threads[4], other;
    void *failed;
    is_wrong = argc > 1 && strcmp(argv[1], "wrong") == 0;
    is_copying = argc > 1 && strcmp(argv[1], "copies") == 0;
    begin();
    for (uintptr_t i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, allocate, (void *)(i + 1));
    }
    pthread_create(&other, NULL, fork_often, (void *)1);
    uintptr_t all_failed = (uintptr_t)fork_often((void *)0);
    pthread_join(other, &failed);
    all_failed += (uintptr_t)failed;
    stopping = 1;
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    end();
    printf("%d children failed\n", (int)all_failed);
    return 0;
}
