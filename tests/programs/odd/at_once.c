// Two processes with four threads each, which make 16 mistakes at the same time, far down. A pipe that takes their messages holds one page.
#include "odd.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

__attribute__((noinline, noclone)) static int twice(void) {
    void *block = NULL;
    return aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST) + aclrtFree(block) + aclrtFree(block);
}

__attribute__((noinline, noclone)) static int descend(int depth, unsigned path) {
    if (depth == 0) {
        return twice();
    }
    return path & 1 ? descend(depth - 1, path >> 1) + 1 : descend(depth - 1, path >> 1) - 1;
}

static void *mistakes(void *first) {
    for (unsigned path = 0; path < 16; path++) {
        descend(24, *(unsigned *)first + path);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    unsigned first[4];
    int status = 0;
    fcntl(STDERR_FILENO, F_SETPIPE_SZ, 4096);
    pid_t child = fork();
    aclInit(NULL);
    aclrtSetDevice(0);
    for (unsigned i = 0; i < 4; i++) {
        first[i] = 16 * i;
        pthread_create(&threads[i], NULL, mistakes, &first[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    return child > 0 && (waitpid(child, &status, 0) != child || status != 0);
}
