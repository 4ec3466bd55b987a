// Shared buffers: their data is no separate block, a handle is released once, and a member of a chain not separately.
#include "pool.h"

int main(void) {
    begin();
    aclrtStream stream = stream_of_ours();
    aclrtMbuf head = NULL, member = NULL;
    void *data = NULL;
    size_t size = 0;
    MUST(aclrtAllocBuf(&head, 1000));
    MUST(aclrtGetBufData(head, &data, &size));
    aclrtFree(data);
    MUST(aclrtMemPoolFreeAsync(data, stream)); // its failure is not reported
    MUST(aclrtAllocBuf(&member, 2000));
    MUST(aclrtAppendBufChain(head, member));
    aclrtFreeBuf(member);
    MUST(aclrtFreeBuf(head));
    aclrtFreeBuf(head);
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
