// The second element of a batch leaves its block, the third claims more room than there is, the fourth's source is gone; in both forms.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream = NULL;
    MUST(aclrtCreateStream(&stream));
    aclrtMemcpyBatchAttr down = {{0, ACL_MEM_LOCATION_TYPE_DEVICE}, {0, ACL_MEM_LOCATION_TYPE_HOST}, {0}};
    size_t from = 0, fail = 0;
    char *first = device(1000), *second = device(1000), *third = device(1000), *fourth = device(1000);
    char *host = pinned(4096), *gone = pinned(4096);
    memset(host, 0, 4096);
    MUST(aclrtFreeHost(gone));
    void *dsts[] = {first, second + 900, third, fourth};
    void *srcs[] = {host, host, host, gone};
    size_t rooms[] = {1000, 101, 1001, 1000}, sizes[] = {1000, 101, 1000, 8};
    MUST(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 3, &down, &from, 1, &fail));
    MUST(aclrtMemcpyBatchV2(dsts + 3, rooms + 3, srcs + 3, sizes + 3, 1, &down, &from, 1));
    MUST(aclrtMemcpyBatchAsync(dsts, rooms, srcs, sizes, 2, &down, &from, 1, &fail, stream));
    MUST(aclrtMemcpyBatchAsyncV2(dsts + 2, rooms + 2, srcs + 2, sizes + 2, 1, &down, &from, 1, stream));
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtFreeHost(host));
    MUST(aclrtFree(first));
    MUST(aclrtFree(second));
    MUST(aclrtFree(third));
    MUST(aclrtFree(fourth));
    end();
    return 0;
}
