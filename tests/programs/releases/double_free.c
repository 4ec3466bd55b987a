// A block is released twice, at two sites; repeated occurrences are reported once.
#include "../rt.h"

static void cleanup(char *block) {
    aclrtFree(block);
}

int main(void) {
    begin();
    for (int i = 0; i < 3; i++) {
        char *block = device(4096);
        MUST(aclrtFree(block));
        cleanup(block);
    }
    end();
    return 0;
}
