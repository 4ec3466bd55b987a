// A pool goes while two of its three blocks are out; so does one that gave a block to each of two streams.
#include "pool.h"

int main(void) {
    begin();
    aclrtStream stream = stream_of_ours(), other = stream_of_ours();
    aclrtMemPool pool = pool_of_ours();
    char *rows = pooled(4096, pool, stream);
    char *kept = pooled(100, pool, stream);
    pooled(200, pool, stream);
    MUST(aclrtMemPoolFreeAsync(rows, stream));
    MUST(aclrtMemPoolDestroy(pool));
    aclrtMemPool shared = pool_of_ours();
    for (int i = 0; i < 2; i++) {
        pooled(1 << 20, shared, i ? stream : other);
    }
    MUST(aclrtMemPoolDestroy(shared));
    (void)kept;
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtDestroyStream(other));
    end();
    return 0;
}
