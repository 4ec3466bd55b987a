// Releases that are refused because the pointer was no block's say so by other names.
#include "../rt.h"

int main(void) {
    begin();
    if (aclrtFree((void *)0x12c100000000) == 0) return 1;
    MUST(aclrtFree(device(64)));
    end();
    return 0;
}
