// One thread waits for a stream, after which guards are looked at, while others release the blocks and are given the same memory for larger ones.
#include <pthread.h>
#include <stdatomic.h>

#include "../rt.h"

enum { WRITERS = 3, ROUNDS = 4000 };

static atomic_int running = WRITERS;

static void *write_and_release(void *unused) {
    MUST(aclrtSetDevice(0));
    for (int round = 0; round < ROUNDS; round++) {
        size_t size = round % 2 ? 2000 : 500; // the larger covers the guard of the smaller
        char *block = device(size);
        MUST(aclrtMemset(block, size, round, size));
        MUST(aclrtFree(block));
    }
    MUST(aclrtResetDevice(0));
    running--;
    return unused;
}

int main(void) {
    begin();
    aclrtStream stream;
    pthread_t writers[WRITERS];
    MUST(aclrtCreateStream(&stream));
    for (int i = 0; i < WRITERS; i++) {
        pthread_create(&writers[i], NULL, write_and_release, NULL);
    }
    while (running) {
        MUST(aclrtSynchronizeStream(stream));
    }
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(writers[i], NULL);
    }
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
