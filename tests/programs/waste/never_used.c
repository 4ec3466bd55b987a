// A reserve of 64 MiB that nothing is ever put into, beside a block that is filled.
#include "../rt.h"

static char *reserve(void) {
    return device(64 << 20);
}

int main(void) {
    begin();
    char *spare = reserve(), *used = device(1 << 20);
    MUST(aclrtMemset(used, 1 << 20, 0, 1 << 20));
    MUST(aclrtFree(used));
    MUST(aclrtFree(spare));
    end();
    return 0;
}
