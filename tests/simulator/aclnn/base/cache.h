/* Functions that torch_npu looks up beside PTAGetExecCache: a call's key, and the addresses for a plan from the cache. */
#ifndef SIMULATOR_ACLNN_CACHE_H
#define SIMULATOR_ACLNN_CACHE_H

#include <stddef.h>
#include <stdint.h>

void InitPTACacheThreadLocal(void);
void UnInitPTACacheThreadLocal(void);
void SetPTAHashKey(uint64_t hash);
void SetPTACacheHashKey(uint8_t *key, size_t len);
void AddTensorAddrToCachedList(void *addr);

#endif
