// Each kind takes the other's release; a size of 0 makes no block; a freed block is handed out again before its stream has come so far.
#include "pool.h"

int main(void) {
    begin();
    aclrtStream stream = stream_of_ours();
    aclrtMemPool pool = pool_of_ours();
    void *nothing = stream;
    MUST(aclrtMemPoolMallocAsync(&nothing, 0, pool, stream));
    if (nothing != stream) {
        return 1;
    }
    MUST(aclrtMemPoolFreeAsync(device(1000), stream));
    MUST(aclrtFree(pooled(1000, pool, stream)));
    for (int i = 0; i < 100; i++) {
        char *rows = pooled(4096, pool, stream);
        MUST(aclrtMemsetAsync(rows, 4096, i, 4096, stream));
        MUST(aclrtMemPoolFreeAsync(rows, stream));
    }
    MUST(aclrtSynchronizeStream(stream));
    void *full = NULL;
    if (aclrtMemPoolMallocAsync(&full, 65 << 20, pool, stream) == ACL_SUCCESS) {
        return 1;
    }
    MUST(aclrtMemPoolTrimTo(pool, 0));
    MUST(aclrtMemPoolDestroy(pool));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
