// The same cache with a limit of four, and a list of results that is emptied every other step.
#include "../rt.h"
#include "aclsan.h"

enum { STEPS = 32, LIMIT = 4, BYTES = 1 << 20 };

static char *make(void) {
    char *entry = device(BYTES);
    MUST(aclrtMemset(entry, BYTES, 0, BYTES));
    return entry;
}

int main(void) {
    begin();
    char *cache[LIMIT] = {0}, *result = NULL;
    for (int i = 0; i < STEPS; i++) {
        aclsan_epoch("step");
        if (cache[i % LIMIT]) MUST(aclrtFree(cache[i % LIMIT]));
        cache[i % LIMIT] = make();
        if (i % 2 == 0) {
            result = make();
        } else {
            MUST(aclrtFree(result));
        }
    }
    for (int i = 0; i < LIMIT; i++) MUST(aclrtFree(cache[i]));
    end();
    return 0;
}
