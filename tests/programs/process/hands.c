/* For each byte on standard input, two threads allocate blocks and hand them on to two others, which release them. */
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

int main(void) {
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
