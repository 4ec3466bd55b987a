// A cache that takes one more block in each step, and is emptied only at the end.
#include "../rt.h"
#include "aclsan.h"

enum { STEPS = 16, BYTES = 512 << 10 };

static char *remember(void) {
    char *entry = device(BYTES);
    MUST(aclrtMemset(entry, BYTES, 0, BYTES));
    return entry;
}

int main(void) {
    begin();
    char *cache[STEPS];
    for (int i = 0; i < STEPS; i++) {
        aclsan_epoch("step");
        cache[i] = remember();
    }
    for (int i = 0; i < STEPS; i++) MUST(aclrtFree(cache[i]));
    end();
    return 0;
}
