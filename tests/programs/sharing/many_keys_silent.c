// Many keys of one block, open at once; keys of a block that has the address of one that was shared.
#include "shared.h"

#define KEYS 200

int main(void) {
    static char keys[KEYS][65];
    begin();
    for (int step = 0; step < 3; step++) {
        char *block = huge(), *seen = NULL;
        for (int i = 0; i < KEYS; i++) {
            export_key(block, keys[i]);
        }
        for (int i = 0; i < KEYS; i += 20) {
            seen = import_key(keys[i]);
            MUST(aclrtMemset(seen, BYTES, i, BYTES));
            MUST(aclrtIpcMemClose(keys[i]));
        }
        for (int i = 0; i < KEYS; i++) {
            MUST(aclrtIpcMemClose(keys[i]));
        }
        MUST(aclrtFree(block));
    }
    end();
    return 0;
}
