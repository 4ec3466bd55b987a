// Everything released: a pool, blocks by both releases, a chain by its head, references, notifies.
#include "../pools/pool.h"

int main(void) {
    begin();
    aclrtStream stream = stream_of_ours();
    aclrtMbuf buffer = NULL, copy = NULL, member = NULL;
    aclrtNotify notify = NULL;
    aclrtCntNotify count = NULL;
    for (int step = 0; step < 2; step++) {
        aclrtMemPool pool = pool_of_ours();
        MUST(aclrtMemPoolFreeAsync(pooled(4096, pool, stream), stream));
        MUST(aclrtFree(pooled(4096, pool, stream)));
        MUST(aclrtMemPoolFreeAsync(device(100), stream));
        MUST(aclrtSynchronizeStream(stream));
        MUST(aclrtMemPoolDestroy(pool));
        MUST(aclrtAllocBuf(&buffer, 1000));
        MUST(aclrtCopyBufRef(buffer, &copy));
        MUST(aclrtAllocBuf(&member, 1000));
        MUST(aclrtAppendBufChain(copy, member));
        MUST(aclrtFreeBuf(buffer));
        MUST(aclrtFreeBuf(copy));
        MUST(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
        MUST(aclrtCntNotifyCreate(&count, ACL_NOTIFY_DEFAULT));
        MUST(aclrtDestroyNotify(notify));
        MUST(aclrtCntNotifyDestroy(count));
    }
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
