// Of blocks that are larger than what a sample skips, every mistake is found: `double` and `mismatched` release; `reused`, where another block has the
// memory in between, is none. Small blocks come and go at the same addresses all the time.
#include "../rt.h"

enum { LARGE = 64 << 20, ROUNDS = 20000 };

int main(int count, char **arguments) {
    const char *way = count > 1 ? arguments[1] : "";
    begin();
    for (int round = 0; round < ROUNDS; round++) {
        char *blocks[4];
        for (int i = 0; i < 4; i++) blocks[i] = device(512 + (round * 7 + i) % 64 * 1024);
        MUST(aclrtMemcpy(blocks[1], 512, blocks[0], 512, ACL_MEMCPY_DEVICE_TO_DEVICE));
        for (int i = 0; i < 4; i++) MUST(aclrtFree(blocks[i]));
    }
    char *block = device(LARGE);
    MUST(aclrtFree(block));
    if (!strcmp(way, "double")) {
        aclrtFree(block);
    } else if (!strcmp(way, "mismatched")) {
        aclrtFree(pinned(LARGE));
    } else {
        // The first of these takes the large block's address, as do many small ones before it is large again.
        for (int round = 0; round < 100; round++) {
            char *small = device(4096), *large = device(LARGE);
            MUST(aclrtFree(small));
            MUST(aclrtFree(large));
        }
    }
    end();
    return 0;
}
