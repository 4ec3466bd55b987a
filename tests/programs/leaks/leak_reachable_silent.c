//@ options: leak_scan=1
// Pointers that outlive their blocks: everything was released, so that there is nothing to look for.
#include "../rt.h"

static char *volatile stale[4];

int main(void) {
    begin();
    for (int i = 0; i < 4; i++) stale[i] = device(1000);
    for (int i = 0; i < 4; i++) MUST(aclrtFree(stale[i]));
    end();
    return 0;
}
