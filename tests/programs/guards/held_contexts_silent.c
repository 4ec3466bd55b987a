//@ options: quarantine_mb=8
// Blocks of two devices that are held back when the contexts go that the devices were held by.
#include "../rt.h"

int main(void) {
    MUST(aclInit(NULL));
    aclrtContext context[2] = {NULL, NULL};
    char *block[2];
    for (int i = 0; i < 2; i++) {
        MUST(aclrtCreateContext(&context[i], i));
        block[i] = device(4096);
    }
    for (int i = 0; i < 2; i++) {
        MUST(aclrtSetCurrentContext(context[i]));
        MUST(aclrtFree(block[i]));
    }
    for (int i = 1; i >= 0; i--) {
        MUST(aclrtSetCurrentContext(context[i]));
        MUST(aclrtDestroyContext(context[i]));
    }
    MUST(aclFinalize());
    return 0;
}
