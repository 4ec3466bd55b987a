/* For each byte on standard input, two threads allocate blocks and pass them to two others, which release them. With an argument all of it
 * under a filter of system calls that forbids none, as containers have one. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "process.h"

enum { BLOCKS = 2000, ROOM = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static void *blocks[ROOM];
static int count;

static void *give(void *none) {
    MUST(aclrtSetDevice(0));
    for (int i = 0; i < BLOCKS; i++) {
        void *block = device(4096);
        pthread_mutex_lock(&lock);
        while (count == ROOM) {
            pthread_cond_wait(&moved, &lock);
        }
        blocks[count++] = block;
        pthread_cond_broadcast(&moved);
        pthread_mutex_unlock(&lock);
    }
    return none;
}

static void *take(void *none) {
    MUST(aclrtSetDevice(0));
    for (int i = 0; i < BLOCKS; i++) {
        pthread_mutex_lock(&lock);
        while (count == 0) {
            pthread_cond_wait(&moved, &lock);
        }
        void *block = blocks[--count];
        pthread_cond_broadcast(&moved);
        pthread_mutex_unlock(&lock);
        MUST(aclrtFree(block));
    }
    return none;
}

static void filter(void) {
    struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {1, &all};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program); // Where that is refused there is one already.
}

int main(int count, char **arguments) {
    (void)arguments;
    if (count > 1) {
        filter();
    }
    begin();
    char byte;
    while (read(0, &byte, 1) == 1) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++) {
            pthread_create(&threads[i], NULL, i % 2 ? take : give, NULL);
        }
        for (int i = 0; i < 4; i++) {
            pthread_join(threads[i], NULL);
        }
        printf("handed on\n");
        fflush(stdout);
    }
    end();
    return 0;
}
