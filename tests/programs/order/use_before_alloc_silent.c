//@ env: ACLSIM_STREAM_DELAY_US=500
// Used after its allocation: on its stream, after an event, after a wait.
#include "../pools/pool.h"

int main(void) {
    begin();
    aclrtStream first = stream_of_ours(), second = stream_of_ours();
    aclrtMemPool pool = pool_of_ours();
    char *rows = pooled(4096, pool, first);
    MUST(aclrtMemsetAsync(rows, 4096, 0, 4096, first));
    aclrtEvent made = NULL;
    MUST(aclrtCreateEvent(&made));
    MUST(aclrtRecordEvent(made, first));
    MUST(aclrtStreamWaitEvent(second, made));
    MUST(aclrtMemsetAsync(rows, 4096, 0, 4096, second));
    char *more = pooled(4096, pool, first);
    MUST(aclrtSynchronizeStream(first));
    MUST(aclrtMemsetAsync(more, 4096, 0, 4096, second));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtMemPoolFreeAsync(rows, first));
    MUST(aclrtMemPoolFreeAsync(more, second));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtDestroyEvent(made));
    MUST(aclrtMemPoolDestroy(pool));
    MUST(aclrtDestroyStream(first));
    MUST(aclrtDestroyStream(second));
    end();
    return 0;
}
