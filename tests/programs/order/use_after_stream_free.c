//@ env: ACLSIM_STREAM_DELAY_US=2000
#include "../pools/pool.h"

int main(void) {
    begin();
    aclrtStream first = stream_of_ours(), second = stream_of_ours();
    aclrtMemPool pool = pool_of_ours();
    char *rows = pooled(4096, pool, first);
    MUST(aclrtSynchronizeStream(first));
    MUST(aclrtMemsetAsync(rows, 4096, 0, 4096, second));
    MUST(aclrtMemPoolFreeAsync(rows, first)); // may come before the fill
    // Plain memory may be released so, too.
    char *plain = device(4096);
    MUST(aclrtMemsetAsync(plain, 4096, 0, 4096, second));
    MUST(aclrtMemPoolFreeAsync(plain, first));
    aclrtSynchronizeDevice(); // the result depends on a race
    aclrtMemPoolDestroy(pool);
    aclrtDestroyStream(first);
    aclrtDestroyStream(second);
    end();
    return 0;
}
