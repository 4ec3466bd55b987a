/* Memory functions of the layer below AscendCL, libruntime.so; other libraries can call them up to CANN 9.1 and later. Deprecated for
 * programs, but kernel launchers still call them. */
#ifndef ACLSAN_RUNTIME_MEM_H
#define ACLSAN_RUNTIME_MEM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0 is success; other values are those of ACL_ERROR_RT_…. */
typedef int32_t rtError_t;
/* Kind of memory in the low byte (default 0x0, HBM 0x2, DDR 0x4), page policy above. */
typedef uint32_t rtMemType_t;

/* Rounds to 32 bytes and adds no padding. */
rtError_t rtMalloc(void **devPtr, uint64_t size, rtMemType_t type, const uint16_t moduleId);
rtError_t rtMallocCached(void **devPtr, uint64_t size, rtMemType_t type, const uint16_t moduleId);
/* Accepts anything that the driver allocated; does not wait. */
rtError_t rtFree(void *devPtr);
rtError_t rtMallocHost(void **hostPtr, uint64_t size, const uint16_t moduleId);
/* Rejects device memory. */
rtError_t rtFreeHost(void *hostPtr);
/* Both wait for the device first. */
rtError_t rtFreeWithDevSync(void *devPtr);
rtError_t rtFreeHostWithDevSync(void *hostPtr);
/* Page policy as in aclrtMalloc; purpose of the memory: none, media units, schedulers, cached. */
typedef uint32_t rtMallocPolicy;
typedef uint32_t rtMallocAdvise;
typedef struct rtMallocConfig_t rtMallocConfig_t;
rtError_t rtsMalloc(void **devPtr, uint64_t size, rtMallocPolicy policy, rtMallocAdvise advise, rtMallocConfig_t *cfg);
rtError_t rtMemAlloc(void **devPtr, uint64_t size, rtMallocPolicy policy, rtMallocAdvise advise, rtMallocConfig_t *cfg);
rtError_t rtsFree(void *devPtr);
rtError_t rtsMallocHost(void **hostPtr, uint64_t size, const rtMallocConfig_t *cfg);
rtError_t rtsFreeHost(void *hostPtr);

#ifdef __cplusplus
}
#endif

#endif
