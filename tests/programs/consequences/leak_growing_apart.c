// A cache that grows and is released at the end, and a block of another place that leaks.
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
    char *cache[STEPS], *forgotten = device(1 << 20);
    MUST(aclrtMemset(forgotten, BYTES, 0, BYTES));
    for (int i = 0; i < STEPS; i++) {
        aclsan_epoch("step");
        cache[i] = remember();
    }
    for (int i = 0; i < STEPS; i++) MUST(aclrtFree(cache[i]));
    end();
    return 0;
}
