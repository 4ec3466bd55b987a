/* The cache of the device: operations with barriers and by descriptor. */
#ifndef ACLSAN_RT_CACHE_H
#define ACLSAN_RT_CACHE_H

#include "../acl_base.h"
#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    aclrtCmoType cmoType;
    uint32_t barrierId;
} aclrtBarrierCmoInfo;

#define ACL_RT_CMO_MAX_BARRIER_NUM 6U

typedef struct {
    size_t barrierNum;
    aclrtBarrierCmoInfo cmoInfo[ACL_RT_CMO_MAX_BARRIER_NUM];
} aclrtBarrierTaskInfo;

aclError aclrtCmoAsyncWithBarrier(void *src, size_t size, aclrtCmoType cmoType, uint32_t barrierId, aclrtStream stream);
aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo *taskInfo, aclrtStream stream, uint32_t flag);
aclError aclrtCmoGetDescSize(size_t *size);
aclError aclrtCmoSetDesc(void *cmoDesc, void *src, size_t size);
aclError aclrtCmoAsyncWithDesc(void *cmoDesc, aclrtCmoType cmoType, aclrtStream stream, const void *reserve);

#ifdef __cplusplus
}
#endif

#endif
