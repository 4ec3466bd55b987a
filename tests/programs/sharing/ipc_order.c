// A block goes while a key to it is open, by both releases; an import is given to aclrtFree before it is closed and after.
#include "shared.h"

int main(void) {
    char first[65], second[65];
    begin();
    char *block = huge();
    export_key(block, first);
    MUST(aclrtFree(block));
    MUST(aclrtIpcMemClose(first));

    block = huge();
    export_key(block, first);
    export_key(block, second);
    MUST(aclrtIpcMemClose(first));
    MUST(aclrtFreeWithDevSync(block));
    MUST(aclrtIpcMemClose(second));

    block = huge();
    export_key(block, first);
    char *seen = import_key(first);
    printf("%d\n", aclrtFree(seen));
    MUST(aclrtIpcMemClose(first));
    printf("%d\n", aclrtFree(seen));
    MUST(aclrtIpcMemClose(first));
    MUST(aclrtFree(block));
    end();
    return 0;
}
