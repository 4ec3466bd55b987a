// Of three blocks of one place, one is released by the wrong call, which the runtime refuses, one is released by it and
// then by the right one, and one is forgotten.
#include "../rt.h"

enum { BLOCKS = 3 };

int main(void) {
    begin();
    char *staging[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) staging[i] = pinned(300);
    for (int i = 1; i < BLOCKS; i++) acldvppFree(staging[i]);
    MUST(aclrtFreeHost(staging[2]));
    end();
    return 0;
}
