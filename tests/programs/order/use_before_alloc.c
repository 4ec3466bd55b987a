//@ env: ACLSIM_STREAM_DELAY_US=2000
#include "../pools/pool.h"

int main(void) {
    begin();
    aclrtStream first = stream_of_ours(), second = stream_of_ours();
    aclrtMemPool pool = pool_of_ours();
    char *rows = pooled(4096, pool, first);
    MUST(aclrtMemsetAsync(rows, 4096, 0, 4096, second));
    MUST(aclrtSynchronizeDevice());
    char *more = pooled(4096, pool, first);
    static char host[4096];
    MUST(aclrtMemcpy(more, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE));
    char *third = pooled(4096, pool, first);
    MUST(aclrtMemsetAsync(third, 4096, 0, 4096, first)); // is not before it either
    MUST(aclrtMemsetAsync(third, 4096, 0, 4096, second));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtMemPoolFreeAsync(third, first));
    MUST(aclrtMemPoolFreeAsync(rows, first));
    MUST(aclrtMemPoolFreeAsync(more, first));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtMemPoolDestroy(pool));
    MUST(aclrtDestroyStream(first));
    MUST(aclrtDestroyStream(second));
    end();
    return 0;
}
