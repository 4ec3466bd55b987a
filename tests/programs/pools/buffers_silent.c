// References, chains, user data, copies into the data: each handle goes back once, a chain with its head.
#include "../rt.h"

int main(void) {
    begin();
    aclrtMbuf head = NULL, copy = NULL, member = NULL, found = NULL;
    void *data = NULL;
    size_t size = 0;
    char bytes[64] = {0};
    MUST(aclrtAllocBuf(&head, 1000));
    MUST(aclrtGetBufData(head, &data, &size));
    MUST(aclrtMemcpy(data, size, bytes, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtCopyBufRef(head, &copy));
    MUST(aclrtAllocBuf(&member, 2000));
    MUST(aclrtAppendBufChain(head, member));
    MUST(aclrtGetBufFromChain(head, 1, &found));
    MUST(aclrtGetBufData(found, &data, &size));
    MUST(aclrtFreeBuf(head));
    MUST(aclrtFreeBuf(copy));
    end();
    return 0;
}
