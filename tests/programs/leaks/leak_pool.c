// A pool that is never destroyed, with a block of it; a shared buffer and a second handle on it; a notify of each kind.
#include "../pools/pool.h"

int main(void) {
    begin();
    aclrtStream stream = stream_of_ours();
    aclrtMbuf buffer = NULL, copy = NULL;
    aclrtNotify notify = NULL;
    aclrtCntNotify count = NULL;
    pooled(4096, pool_of_ours(), stream);
    MUST(aclrtAllocBuf(&buffer, 1000));
    MUST(aclrtCopyBufRef(buffer, &copy));
    MUST(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    MUST(aclrtCntNotifyCreate(&count, ACL_NOTIFY_DEFAULT));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
