// Four threads that trigger 16 findings each at the same time, deep in the stack. A pipe that takes their messages holds one page. An argument may be
// `processes`: two processes do so; `nonblocking`: nobody waits for room in the pipe; `later`: one more finding when there is something to read.
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
    aclrtSetDevice(0);
    for (unsigned path = 0; path < 16; path++) {
        descend(24, *(unsigned *)first + path);
    }
    return NULL;
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "";
    pthread_t threads[4];
    unsigned first[4];
    int status = 0;
    fcntl(STDERR_FILENO, F_SETPIPE_SZ, 4096);
    if (strcmp(way, "nonblocking") == 0) {
        fcntl(STDERR_FILENO, F_SETFL, fcntl(STDERR_FILENO, F_GETFL) | O_NONBLOCK);
    }
    pid_t child = strcmp(way, "processes") == 0 ? fork() : -1;
    aclInit(NULL);
    aclrtSetDevice(0);
    for (unsigned i = 0; i < 4; i++) {
        first[i] = 16 * i;
        pthread_create(&threads[i], NULL, mistakes, &first[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    if (strcmp(way, "later") == 0) {
        puts("made");
        fflush(stdout);
        getchar();
        twice();
    }
    return child > 0 && (waitpid(child, &status, 0) != child || status != 0);
}
