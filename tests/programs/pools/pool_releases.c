// What goes wrong with releases in stream order: twice, inside, NULL, without a stream, of another family.
#include "pool.h"

static void twice(aclrtMemPool pool, aclrtStream stream) {
    char *rows = pooled(4096, pool, stream), *plain = device(1000);
    MUST(aclrtMemPoolFreeAsync(rows, stream));
    aclrtMemPoolFreeAsync(rows, stream);
    MUST(aclrtMemPoolFreeAsync(plain, stream));
    MUST(aclrtMemPoolFreeAsync(plain, stream)); // no more than a line in a log comes of it
    MUST(aclrtSynchronizeStream(stream));
}

static void inside(aclrtMemPool pool, aclrtStream stream) {
    char *rows = pooled(4 << 20, pool, stream), *plain = device(1000);
    aclrtMemPoolFreeAsync(rows + (2 << 20), stream);
    MUST(aclrtMemPoolFreeAsync(plain + 64, stream));
    MUST(aclrtMemPoolFreeAsync(rows, stream));
    MUST(aclrtMemPoolFreeAsync(plain, stream));
    MUST(aclrtSynchronizeStream(stream));
}

static void nowhere(aclrtMemPool pool, aclrtStream stream) {
    char *rows = pooled(4096, pool, stream), *host = pinned(500);
    aclrtMemPoolFreeAsync(NULL, stream);
    aclrtMemPoolFreeAsync(rows, NULL); // release-failed
    MUST(aclrtMemPoolFreeAsync(host, stream));
    aclrtFreeHost(rows);
    MUST(aclrtMemPoolFreeAsync(rows, stream));
    MUST(aclrtSynchronizeStream(stream));
}

int main(void) {
    begin();
    aclrtStream stream = stream_of_ours();
    aclrtMemPool pool = pool_of_ours();
    twice(pool, stream);
    inside(pool, stream);
    nowhere(pool, stream);
    MUST(aclrtMemPoolDestroy(pool));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
