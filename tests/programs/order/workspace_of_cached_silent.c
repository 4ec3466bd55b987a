//@ flags: -lnnopbase
//@ env: ACLSIM_STREAM_DELAY_US=500
// The same, repaired: the host waits for the stream before it frees, and the second stream for the first before it works there.
#include "../operators/cached.h"

int main(void) {
    begin();
    opapi = dlopen("libopapi.so", RTLD_LAZY | RTLD_LOCAL);
    if (opapi == NULL) return puts(dlerror()), 9;
    aclrtStream first = stream(), second = stream();
    float *a = floats(256), *b = floats(256), *c = floats(256);
    char *workspace = device(1024), *shared = device(1024);
    aclOpExecutor *executor;
    uint64_t need;
    if (product(a, b, 16, &executor, &need)) return 8;
    run(executor, workspace, need, first);
    if (!product(a, b, 16, &executor, &need)) return 7;
    run(executor, workspace, need, first);
    MUST(aclrtSynchronizeStream(first));
    MUST(aclrtFree(workspace));
    if (product(a, c, 8, &executor, &need)) return 6;
    MUST(aclSetAclOpExecutorRepeatable(executor));
    aclrtEvent event;
    MUST(aclrtCreateEvent(&event));
    run(executor, shared, need, first);
    MUST(aclrtRecordEvent(event, first));
    MUST(aclrtStreamWaitEvent(second, event));
    run(executor, shared, need, second);
    MUST(aclrtSynchronizeStream(second));
    MUST(aclDestroyAclOpExecutor(executor));
    MUST(aclrtDestroyEvent(event));
    void *blocks[] = {a, b, c, shared};
    for (int i = 0; i < 4; i++) MUST(aclrtFree(blocks[i]));
    MUST(aclrtDestroyStream(first));
    MUST(aclrtDestroyStream(second));
    end();
    return 0;
}
