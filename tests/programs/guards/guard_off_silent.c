//@ options: guard=off
// With guards off the same overrun goes unseen: the triple of guard_overrun.c.
#include "../rt.h"

int main(void) {
    begin();
    char *staging = pinned(100);
    staging[128] = 1;
    MUST(aclrtFreeHost(staging));
    end();
    return 0;
}
