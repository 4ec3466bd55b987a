// Shared buffers: their data is no block of its own, a handle goes back once, and a member of a chain not by itself.
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
    MUST(aclrtMemPoolFreeAsync(data, stream)); // nobody hears of its failure
    MUST(aclrtAllocBuf(&member, 2000));
    MUST(aclrtAppendBufChain(head, member));
    aclrtFreeBuf(member);
    MUST(aclrtFreeBuf(head));
    aclrtFreeBuf(head);
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
