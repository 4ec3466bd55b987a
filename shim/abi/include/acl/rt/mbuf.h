/* Shared buffers: handles to reference-counted device memory, which can be chained. */
#ifndef ACLSAN_RT_MBUF_H
#define ACLSAN_RT_MBUF_H

#include "../acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclError aclrtAllocBuf(aclrtMbuf *buf, size_t size);
/* The data lives until its last handle is freed; a chain is freed with its head. */
aclError aclrtFreeBuf(aclrtMbuf buf);
aclError aclrtGetBufData(const aclrtMbuf buf, void **dataPtr, size_t *size);
aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len);
aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t *len);
/* 96 bytes next to the data. */
aclError aclrtSetBufUserData(aclrtMbuf buf, const void *dataPtr, size_t size, size_t offset);
aclError aclrtGetBufUserData(const aclrtMbuf buf, void *dataPtr, size_t size, size_t offset);
/* A second handle to the same data, to be freed as well. */
aclError aclrtCopyBufRef(const aclrtMbuf buf, aclrtMbuf *newBuf);
/* Up to 128 in a chain. */
aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf);
aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t *num);
aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index, aclrtMbuf *buf);

#ifdef __cplusplus
}
#endif

#endif
