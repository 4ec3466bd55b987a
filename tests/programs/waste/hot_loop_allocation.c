// One input at a time, allocated and released 1001 times.
#include "../rt.h"

static void step(void) {
    char *input = device(4096);
    MUST(aclrtMemset(input, 4096, 0, 4096));
    MUST(aclrtFree(input));
}

int main(void) {
    begin();
    for (int i = 0; i < 1001; i++) step();
    end();
    return 0;
}
