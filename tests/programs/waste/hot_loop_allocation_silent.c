// As many allocations of sizes that differ, and as many of one size that are released together.
#include "../rt.h"

enum { STEPS = 1001 };

int main(void) {
    begin();
    static char *blocks[STEPS];
    for (int i = 0; i < STEPS; i++) {
        char *input = device(4096 + 64 * i);
        MUST(aclrtMemset(input, 64, 0, 64));
        MUST(aclrtFree(input));
    }
    for (int i = 0; i < STEPS; i++) {
        blocks[i] = device(512);
        MUST(aclrtMemset(blocks[i], 64, 0, 64));
    }
    for (int i = 0; i < STEPS; i++) MUST(aclrtFree(blocks[i]));
    end();
    return 0;
}
