// A pointer that was moved along its block is released, then the block itself.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(4096);
    char *cursor = block + 512;
    aclrtFree(cursor);
    MUST(aclrtFree(block));
    end();
    return 0;
}
