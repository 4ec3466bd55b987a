/* Shared buffers: handles on counted device memory, which can be chained. */
#ifndef ACLSAN_RT_MBUF_H
#define ACLSAN_RT_MBUF_H

#include "../acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclError aclrtAllocBuf(aclrtMbuf *buf, size_t size);
/* The data lives until the last handle on it is freed; a chain goes with its head. */
aclError aclrtFreeBuf(aclrtMbuf buf);
aclError aclrtGetBufData(const aclrtMbuf buf, void **dataPtr, size_t *size);
aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len);
aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t *len);
/* 96 bytes beside the data. */
aclError aclrtSetBufUserData(aclrtMbuf buf, const void *dataPtr, size_t size, size_t offset);
aclError aclrtGetBufUserData(const aclrtMbuf buf, void *dataPtr, size_t size, size_t offset);
/* A second handle on the same data, to be freed too. */
aclError aclrtCopyBufRef(const aclrtMbuf buf, aclrtMbuf *newBuf);
/* Up to 128 in a chain. */
aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf);
aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t *num);
aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index, aclrtMbuf *buf);

#ifdef __cplusplus
}
#endif

#endif
