// The first byte after a block is another block's start.
#include "../rt.h"

int main(void) {
    begin();
    char *blocks[8];
    for (int i = 0; i < 8; i++) blocks[i] = device(480);
    for (int i = 7; i >= 0; i--) MUST(aclrtFree(blocks[i]));
    end();
    return 0;
}
