//@ flags: -lnnopbase
// Plans out of the cache beside copies on another stream: to a tensor that only the earlier call of the same plan had, and to the tensor
// itself, with a wait.
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
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtMemcpyAsync(first, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, side));
    if (!product(second, out, SIDE, &executor, &need)) return 7;
    run(executor, workspace, need, queue);
    aclrtEvent copied;
    MUST(aclrtCreateEvent(&copied));
    MUST(aclrtRecordEvent(copied, side));
    MUST(aclrtStreamWaitEvent(queue, copied));
    if (!product(first, out, SIDE, &executor, &need)) return 6;
    run(executor, workspace, need, queue);
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtFree(first));
    MUST(aclrtFree(second));
    MUST(aclrtFree(out));
    MUST(aclrtFree(workspace));
    MUST(aclrtFreeHost(host));
    MUST(aclrtDestroyEvent(copied));
    MUST(aclrtDestroyStream(queue));
    MUST(aclrtDestroyStream(side));
    end();
    return 0;
}
