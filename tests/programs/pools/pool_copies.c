// A pool's block has an end like any other, although 2 MiB follow it; and an end in time.
#include "pool.h"

int main(void) {
    begin();
    aclrtStream stream = stream_of_ours();
    aclrtMemPool pool = pool_of_ours();
    char *host = pinned(8192), *rows = pooled(4096, pool, stream);
    memset(host, 0, 8192);
    MUST(aclrtMemcpyAsync(rows, 4100, host, 4100, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    MUST(aclrtMemPoolFreeAsync(rows, stream));
    MUST(aclrtMemcpyAsync(host, 8192, rows, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtFreeHost(host));
    MUST(aclrtMemPoolDestroy(pool));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
