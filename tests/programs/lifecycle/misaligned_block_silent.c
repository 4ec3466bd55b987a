// Blocks of every family at their documented alignment.
#include "../rt.h"

int main(void) {
    begin();
    for (size_t size = 1; size < 3000; size += 97) {
        char *a = device(size), *b = dvpp(size), *c = pinned(size);
        MUST(aclrtFree(a));
        MUST(acldvppFree(b));
        MUST(aclrtFreeHost(c));
    }
    end();
    return 0;
}
