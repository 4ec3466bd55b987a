//@ env: ACLSIM_STREAM_DELAY_US=2000
// Pool memory is reused by a second stream without any order: no attribute promises one. `aclrtFree` of a block waits for nothing.
#include "../pools/pool.h"

int main(void) {
    begin();
    aclrtStream first = stream_of_ours(), second = stream_of_ours();
    aclrtMemPool pool = pool_of_ours();
    char *result = device(4096);
    MUST(aclrtSynchronizeDevice());
    char *rows = pooled(4096, pool, first);
    MUST(aclrtMemsetAsync(result, 4096, 7, 4096, first));
    MUST(aclrtMemPoolFreeAsync(rows, first));
    rows = pooled(4096, pool, second);
    MUST(aclrtMemcpyAsync(rows, 4096, result, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, second));
    MUST(aclrtMemPoolFreeAsync(rows, second));
    MUST(aclrtSynchronizeDevice());
    rows = pooled(4096, pool, first);
    MUST(aclrtMemsetAsync(rows, 4096, 0, 4096, first));
    MUST(aclrtFree(rows)); // the fill may come after it
    aclrtSynchronizeDevice(); // the result depends on a race
    aclrtMemPoolDestroy(pool);
    aclrtFree(result);
    aclrtDestroyStream(first);
    aclrtDestroyStream(second);
    end();
    return 0;
}
