// Blocks that a slow runtime gives out, at one place 5 times, and others at another place.
#include "../rt.h"

static void batch(size_t size) {
    for (volatile int i = 0; i < 5; i++) {
        char *block = device(size);
        MUST(aclrtMemset(block, size, 0, size));
        MUST(aclrtFree(block));
    }
}

int main(void) {
    begin();
    batch(4096);
    batch(64);
    end();
    return 0;
}
