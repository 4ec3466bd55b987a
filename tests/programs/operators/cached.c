//@ flags: -lnnopbase
// The executor out of the cache needs what the first one needed, and gets a workspace of half the size.
#include "cached.h"

int main(void) {
    begin();
    opapi = dlopen("libopapi.so", RTLD_LAZY | RTLD_LOCAL);
    if (opapi == NULL) return puts(dlerror()), 9;
    aclrtStream queue = stream();
    float *a = floats(256), *b = floats(256);
    aclOpExecutor *executor;
    uint64_t need;
    char *workspace = device(1024);
    if (product(a, b, 16, &executor, &need)) return 8;
    run(executor, workspace, need, queue);
    if (!product(a, b, 16, &executor, &need)) return 7;
    run(executor, workspace, need / 2, queue);
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtFree(a));
    MUST(aclrtFree(b));
    MUST(aclrtFree(workspace));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
