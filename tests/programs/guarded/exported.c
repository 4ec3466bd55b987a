// A block with an unmapped page after it cannot be exported; the next one is an ordinary one.
#include "../guard_pages/launch.h"

int main(void) {
    char key[65];
    begin();
    MUST(aclrtFree(device(64)));
    char *first = device(2 << 20), *second;
    printf("%d\n", aclrtIpcMemGetExportKey(first, 2 << 20, key, sizeof key, 0) != 0);
    second = device(2 << 20);
    MUST(aclrtIpcMemGetExportKey(second, 2 << 20, key, sizeof key, 0));
    MUST(aclrtIpcMemClose(key));
    MUST(aclrtFree(second));
    MUST(aclrtFree(first));
    end();
    return 0;
}
