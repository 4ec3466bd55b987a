// A runtime that calls its own public functions from inside each of them: what the program called is on record, and that alone.
#include "odd.h"
#include <dlfcn.h>

static int depth;

static void inside(const char *call) {
    void *block = NULL;
    aclrtStream stream = NULL;
    if (depth == 2) {
        return;
    }
    depth++;
    aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(block, 64, 0, 64);
    aclrtSynchronizeStream(stream);
    aclrtFree(block);
    aclrtFree(block);
    depth--;
    (void)call;
}

int main(void) {
    *(void (**)(const char *))dlsym(RTLD_DEFAULT, "odd_inside") = inside;
    for (int i = 0; i < 100; i++) {
        void *block = NULL;
        int status = aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST);
        status += aclrtMemset(block, 64, 0, 64);
        status += aclrtFree(block);
        if (status != 0) {
            puts("an error");
        }
    }
    return 0;
}
