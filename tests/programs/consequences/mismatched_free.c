// The runtime refuses to release pinned memory as DVPP's, and nobody looks at the code: the block leaks by that.
#include "../rt.h"

int main(void) {
    begin();
    char *staging = pinned(300);
    acldvppFree(staging);
    end();
    return 0;
}
