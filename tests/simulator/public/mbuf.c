/* Shared buffers: the checks of the acl layer. */
#include "../public.h"

#include <string.h>

#define USER_DATA 96u

aclError aclrtAllocBuf(aclrtMbuf *buf, size_t size)
{
    ENTER();
    REQUIRE(buf, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMbufAlloc(buf, size));
}

aclError aclrtFreeBuf(aclrtMbuf buf)
{
    ENTER();
    REQUIRE(buf, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMbufFree(buf));
}

aclError aclrtGetBufData(const aclrtMbuf buf, void **dataPtr, size_t *size)
{
    ENTER();
    REQUIRE(buf && dataPtr && size, ACL_ERROR_INVALID_PARAM);
    uint64_t bytes = 0;
    aclError code = rtMbufGetBuffAddr(buf, dataPtr, &bytes);
    REQUIRE(code == ACL_SUCCESS, code);
    *size = bytes;
    return ACL_SUCCESS;
}

aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len)
{
    ENTER();
    REQUIRE(buf, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMbufSetDataLen(buf, len));
}

aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t *len)
{
    ENTER();
    REQUIRE(buf && len, ACL_ERROR_INVALID_PARAM);
    uint64_t length = 0;
    aclError code = rtMbufGetDataLen(buf, &length);
    REQUIRE(code == ACL_SUCCESS, code);
    *len = length;
    return ACL_SUCCESS;
}

static aclError userData(aclrtMbuf buf, size_t size, size_t offset, char **at)
{
    void *user;
    uint64_t room;
    if (size > USER_DATA || offset > USER_DATA - size || !buf) {
        return ACL_ERROR_INVALID_PARAM;
    }
    aclError code = rtMbufGetPrivInfo(buf, &user, &room);
    *at = code == ACL_SUCCESS ? (char *)user + offset : NULL;
    return code;
}

aclError aclrtSetBufUserData(aclrtMbuf buf, const void *dataPtr, size_t size, size_t offset)
{
    ENTER();
    char *at;
    REQUIRE(dataPtr, ACL_ERROR_INVALID_PARAM);
    aclError code = userData(buf, size, offset, &at);
    REQUIRE(code == ACL_SUCCESS, code);
    memcpy(at, dataPtr, size);
    return ACL_SUCCESS;
}

aclError aclrtGetBufUserData(const aclrtMbuf buf, void *dataPtr, size_t size, size_t offset)
{
    ENTER();
    char *at;
    REQUIRE(dataPtr, ACL_ERROR_INVALID_PARAM);
    aclError code = userData(buf, size, offset, &at);
    REQUIRE(code == ACL_SUCCESS, code);
    memcpy(dataPtr, at, size);
    return ACL_SUCCESS;
}

aclError aclrtCopyBufRef(const aclrtMbuf buf, aclrtMbuf *newBuf)
{
    ENTER();
    REQUIRE(buf && newBuf, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMbufCopyBufRef(buf, newBuf));
}

aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf)
{
    ENTER();
    REQUIRE(headBuf && buf, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMbufChainAppend(headBuf, buf));
}

aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t *num)
{
    ENTER();
    REQUIRE(headBuf && num, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMbufChainGetMbufNum(headBuf, num));
}

aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index, aclrtMbuf *buf)
{
    ENTER();
    REQUIRE(headBuf && buf, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMbufChainGetMbuf(headBuf, index, buf));
}
