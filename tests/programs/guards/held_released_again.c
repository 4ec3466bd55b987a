//@ options: quarantine_mb=4
// A block that is held back and released again: the runtime's own answers, as without a quarantine.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(1000), *staging = pinned(100);
    printf("%d", aclrtFree(block));
    printf(" %d", aclrtFree(block));
    printf(" %d", aclrtFreeHost(staging));
    printf(" %d", aclrtFreeHost(staging));
    char *other = device(2000);
    printf(" %d", aclrtFree(other));
    printf(" %d\n", aclrtFree(other + 512));
    end();
    return 0;
}
