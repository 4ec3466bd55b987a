// A block more in each step, and none is ever released: the growth and the leak are the same mistake.
#include "../rt.h"
#include "aclsan.h"

enum { STEPS = 16, BYTES = 512 << 10 };

static void remember(void) {
    char *entry = device(BYTES);
    MUST(aclrtMemset(entry, BYTES, 0, BYTES));
}

int main(void) {
    begin();
    for (int i = 0; i < STEPS; i++) {
        aclsan_epoch("step");
        remember();
    }
    end();
    return 0;
}
