/* Media processing, first interface: its allocator, pictures, VPC, JPEG, PNG, and video. */
#ifndef ACLSAN_ACL_DVPP_H
#define ACLSAN_ACL_DVPP_H

#include "../acl.h"
#include "dvpp/picture.h"
#include "dvpp/process.h"
#include "dvpp/video.h"
#include "dvpp/encoding.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Size rounded up to 32, plus 32; the block starts at a multiple of 128. */
aclError acldvppMalloc(void **devPtr, size_t size);
aclError acldvppMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);
aclError acldvppFree(void *devPtr);

#ifdef __cplusplus
}
#endif

#endif
