// A buffer is freed when its allocator has been shut down and the device reset.
// https://github.com/hw-native-sys/simpler/pull/846 (review): a buffer of the allocator is freed after
// that has freed all that it held, and the device was reset.
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
    shut_down();
    MUST(aclrtResetDevice(0));
    give(buffer);
    MUST(aclFinalize());
    return 0;
}
