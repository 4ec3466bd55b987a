// The same as freed_after_shutdown.c, fixed.
// https://github.com/hw-native-sys/simpler/pull/846 (review): a buffer of the allocator is freed before
// the allocator goes.
#include "../rt.h"

static void *held[4];

static void *take(void) {
    for (int i = 0; i < 4; i++) {
        if (held[i] == NULL) return held[i] = device(4096);
    }
    return NULL;
}

static void give(void *block) {
    for (int i = 0; i < 4; i++) {
        if (held[i] == block) held[i] = NULL;
    }
    printf("%d\n", aclrtFree(block));
}

static void shut_down(void) {
    for (int i = 0; i < 4; i++) {
        if (held[i] != NULL) MUST(aclrtFree(held[i]));
    }
}

int main(void) {
    begin();
    void *buffer = take();
    take();
    give(buffer);
    shut_down();
    end();
    return 0;
}
