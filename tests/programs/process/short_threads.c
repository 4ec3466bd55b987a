// 10,000 threads, eight at a time, each with one pair.
#include "process.h"

static void *allocate(void *unused) {
    MUST(aclrtSetDevice(0));
    pairs(1);
    return unused;
}

int main(void) {
    pthread_t threads[8];
    begin();
    for (int round = 0; round < 1250; round++) {
        for (int i = 0; i < 8; i++) {
            pthread_create(&threads[i], NULL, allocate, NULL);
        }
        for (int i = 0; i < 8; i++) {
            pthread_join(threads[i], NULL);
        }
    }
    end();
    return 0;
}
