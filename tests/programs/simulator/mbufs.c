//@ run
/* Shared buffers: handles, references, chains. */
#include "expect.h"

int main(void)
{
    aclrtMbuf buffer, copy, third, found;
    char *data, user[96] = "note", back[4];
    size_t size, length;
    uint32_t count;
    OK(aclrtSetDevice(0));
    EXPECT_CODE("3.10", ACL_ERROR_INVALID_PARAM, aclrtAllocBuf(NULL, 100));
    OK(aclrtAllocBuf(&buffer, 1000));
    OK(aclrtGetBufData(buffer, (void **)&data, &size));
    EXPECT("3.10", size == 1000 && aclsimIsLive(data));
    OK(aclrtMemset(data, 1000, 1, 1000));
    EXPECT_CODE("driver ef377e95: no block of its own", ACL_ERROR_RT_PARAM_INVALID, aclrtFree(data));
    OK(aclrtGetBufDataLen(buffer, &length));
    EXPECT("runtime docs 20: empty at first", length == 0);
    OK(aclrtSetBufDataLen(buffer, 900));
    EXPECT("runtime docs 20", aclrtSetBufDataLen(buffer, 1001) != ACL_SUCCESS);
    EXPECT_CODE("3.10: 96 bytes", ACL_ERROR_INVALID_PARAM, aclrtSetBufUserData(buffer, user, 96, 1));
    OK(aclrtSetBufUserData(buffer, user, 4, 92));
    OK(aclrtGetBufUserData(buffer, back, 4, 92));
    EXPECT("3.10", memcmp(back, user, 4) == 0);

    OK(aclrtCopyBufRef(buffer, &copy));
    OK(aclrtFreeBuf(buffer));
    EXPECT("3.10: counted", aclsimIsLive(data));
    EXPECT("3.10: a handle is freed once", aclrtFreeBuf(buffer) == ACL_ERROR_RT_PARAM_INVALID);

    OK(aclrtAllocBuf(&third, 10));
    OK(aclrtAppendBufChain(copy, third));
    OK(aclrtGetBufChainNum(copy, &count));
    OK(aclrtGetBufFromChain(copy, 1, &found));
    EXPECT("3.10", count == 2 && found == third);
    EXPECT("3.10", aclrtGetBufFromChain(copy, 2, &found) != ACL_SUCCESS);
    EXPECT("driver ef377e95: no member of a chain goes by itself", aclrtFreeBuf(third) == ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtFreeBuf(copy));
    EXPECT("driver ef377e95: a chain goes with its head", !aclsimIsLive(data) && aclsimLiveBlocks(0) == 0);
    return 0;
}
