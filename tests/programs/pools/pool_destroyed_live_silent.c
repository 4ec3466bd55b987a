// Every block went back, each by a way that is legal; a block of another pool stays, and a pool that cannot be destroyed keeps its own.
#include "pool.h"

int main(void) {
    begin();
    aclrtStream stream = stream_of_ours();
    aclrtMemPool pool = pool_of_ours(), other = pool_of_ours();
    char *rows = pooled(4096, pool, stream);
    char *columns = pooled(4096, pool, stream);
    char *elsewhere = pooled(4096, other, stream);
    MUST(aclrtMemPoolFreeAsync(rows, stream));
    MUST(aclrtFree(columns));
    if (aclrtMemPoolDestroy(stream) == ACL_SUCCESS) {
        return 1;
    }
    MUST(aclrtMemPoolDestroy(pool));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtMemset(elsewhere, 4096, 0, 4096));
    MUST(aclrtMemPoolFreeAsync(elsewhere, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtMemPoolDestroy(other));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
