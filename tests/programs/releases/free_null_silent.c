// Guarded releases.
#include "../rt.h"

int main(void) {
    char *blocks[2] = {NULL, NULL};
    begin();
    blocks[0] = device(64);
    for (int i = 0; i < 2; i++)
        if (blocks[i] != NULL) MUST(aclrtFree(blocks[i]));
    end();
    return 0;
}
