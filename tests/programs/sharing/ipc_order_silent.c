// Importer, exporter, release, in that order; a key imported twice is closed twice; other blocks come and go under an open key.
#include "shared.h"

int main(void) {
    char first[65], second[65];
    begin();
    for (int step = 0; step < 3; step++) {
        char *block = huge(), *other = huge();
        export_key(block, first);
        export_key(block, second);
        MUST(aclrtFree(other));
        char *seen = import_key(first);
        if (seen != import_key(first)) {
            return 8;
        }
        MUST(aclrtMemset(seen, BYTES, step, BYTES));
        MUST(aclrtMemcpy(block, BYTES, seen, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
        MUST(aclrtIpcMemClose(first));
        MUST(aclrtMemset(seen, BYTES, step, BYTES));
        MUST(aclrtIpcMemClose(first));
        MUST(aclrtIpcMemClose(first));
        MUST(aclrtIpcMemClose(second));
        MUST(aclrtFree(block));
    }
    // A key that cannot be had is no key.
    char *cut = device(1024), *small = device(1024);
    printf("%d\n", aclrtIpcMemGetExportKey(small, 1024, first, 65, 0));
    printf("%d\n", aclrtIpcMemClose("00"));
    MUST(aclrtFree(small));
    MUST(aclrtFree(cut));
    end();
    return 0;
}
