// Exact ends, sizes of 0 beside any other, and batches that are refused as a whole: nothing of those is copied.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream = NULL;
    MUST(aclrtCreateStream(&stream));
    aclrtMemcpyBatchAttr down = {{0, ACL_MEM_LOCATION_TYPE_DEVICE}, {0, ACL_MEM_LOCATION_TYPE_HOST}, {0}};
    size_t from = 0, fail = 0;
    char *block = device(1000), *host = pinned(4096), stack[32] = {0};
    memset(host, 0, 4096);
    void *dsts[] = {block, block + 999, block + 4, block};
    void *srcs[] = {host, host, stack, host + 96};
    size_t rooms[] = {1000, 1, 0, 1000}, sizes[] = {1000, 0, 0, 1000};
    MUST(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 4, &down, &from, 1, &fail));
    size_t nothing[] = {0, 0, 0, 0};
    MUST(aclrtMemcpyBatchAsyncV2(dsts, rooms, srcs, nothing, 4, &down, &from, 1, stream));
    MUST(aclrtMemcpyBatchAsync(dsts + 3, rooms + 3, srcs + 3, sizes + 3, 1, &down, &from, 1, &fail, stream));
    size_t far[] = {2000, 1, 2000, 1};
    size_t near[] = {1999, 1, 1999, 1};
    if (aclrtMemcpyBatch(dsts, near, srcs, far, 4, &down, &from, 1, &fail) == ACL_SUCCESS ||
        aclrtMemcpyBatchV2(dsts, far, srcs, far, 4, &down, &from, 0) == ACL_SUCCESS ||
        aclrtMemcpyBatchV2(dsts, far, NULL, far, 4, &down, &from, 1) == ACL_SUCCESS ||
        aclrtMemcpyBatchAsyncV2(dsts, rooms, srcs, sizes, 4, &down, &from, 1, stream) == ACL_SUCCESS) {
        return 1;
    }
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtFreeHost(host));
    MUST(aclrtFree(block));
    end();
    return 0;
}
