// A context of the program's own holds its device over the last reset; blocks go when the program says so.
#include "../rt.h"

int main(void) {
    aclrtContext context;
    begin();
    for (int step = 0; step < 2; step++) {
        MUST(aclrtCreateContext(&context, 0));
        char *block = device(4096);
        MUST(step == 0 ? aclrtResetDevice(0) : aclrtResetDeviceForce(0));
        MUST(aclrtSetCurrentContext(context));
        MUST(aclrtMemset(block, 4096, 0, 4096));
        MUST(aclrtFree(block));
        MUST(aclrtDestroyContext(context));
        MUST(aclrtSetDevice(0));
    }
    end();
    return 0;
}
