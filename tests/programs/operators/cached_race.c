//@ flags: -lnnopbase
// A plan out of the cache reads what a copy on another stream writes, and nothing orders the two. Nobody describes its tensors again.
#include "cached.h"

enum { SIDE = 16, BYTES = SIDE * SIDE * sizeof(float) };

int main(void) {
    begin();
    opapi = dlopen("libopapi.so", RTLD_LAZY | RTLD_LOCAL);
    if (opapi == NULL) return puts(dlerror()), 9;
    aclrtStream queue = stream(), side = stream();
    float *first = floats(SIDE * SIDE), *second = floats(SIDE * SIDE), *out = floats(SIDE * SIDE);
    char *workspace = device(1024), *host = pinned(BYTES);
    aclOpExecutor *executor;
    uint64_t need;
    if (product(first, out, SIDE, &executor, &need)) return 8;
    run(executor, workspace, need, queue);
    MUST(aclrtMemcpyAsync(second, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, side));
    if (!product(second, out, SIDE, &executor, &need)) return 7;
    run(executor, workspace, need, queue);
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtSynchronizeStream(side));
    MUST(aclrtFree(first));
    MUST(aclrtFree(second));
    MUST(aclrtFree(out));
    MUST(aclrtFree(workspace));
    MUST(aclrtFreeHost(host));
    MUST(aclrtDestroyStream(queue));
    MUST(aclrtDestroyStream(side));
    end();
    return 0;
}
