//@ env: ACLSIM_STREAM_DELAY_US=500
// Released after its use: on the same stream, after an event, after a wait.
#include "../pools/pool.h"

int main(void) {
    begin();
    aclrtStream first = stream_of_ours(), second = stream_of_ours();
    aclrtMemPool pool = pool_of_ours();
    aclrtEvent used = NULL;
    MUST(aclrtCreateEvent(&used));
    for (int i = 0; i < 4; i++) {
        char *rows = pooled(4096, pool, first);
        MUST(aclrtMemsetAsync(rows, 4096, 0, 4096, first));
        MUST(aclrtMemPoolFreeAsync(rows, first)); // the next round has the same address, in stream order
    }
    char *rows = pooled(4096, pool, first);
    MUST(aclrtRecordEvent(used, first));
    MUST(aclrtStreamWaitEvent(second, used));
    MUST(aclrtMemsetAsync(rows, 4096, 0, 4096, second));
    MUST(aclrtRecordEvent(used, second));
    MUST(aclrtStreamWaitEvent(first, used));
    MUST(aclrtMemPoolFreeAsync(rows, first));
    char *plain = device(4096);
    MUST(aclrtMemsetAsync(plain, 4096, 0, 4096, second));
    MUST(aclrtSynchronizeStream(second));
    MUST(aclrtMemPoolFreeAsync(plain, first));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtDestroyEvent(used));
    MUST(aclrtMemPoolDestroy(pool));
    MUST(aclrtDestroyStream(first));
    MUST(aclrtDestroyStream(second));
    end();
    return 0;
}
