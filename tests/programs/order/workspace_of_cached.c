//@ flags: -lnnopbase
//@ env: ACLSIM_STREAM_DELAY_US=100000
// Executors that skip phase one, out of a cache, and one that runs again: their workspaces go, and are another stream's, before they have run.
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
    run(executor, workspace, need, first); // the same stream: legal
    MUST(aclrtFree(workspace));
    if (product(a, c, 8, &executor, &need)) return 6;
    MUST(aclSetAclOpExecutorRepeatable(executor));
    run(executor, shared, need, first);
    run(executor, shared, need, second);
    aclrtSynchronizeDevice(); // the result depends on a race
    MUST(aclDestroyAclOpExecutor(executor));
    void *blocks[] = {a, b, c, shared};
    for (int i = 0; i < 4; i++) MUST(aclrtFree(blocks[i]));
    MUST(aclrtDestroyStream(first));
    MUST(aclrtDestroyStream(second));
    end();
    return 0;
}
