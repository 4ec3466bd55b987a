/* Functions that torch_npu looks up beside PTAGetExecCache: whether plans are kept at all, a call's key, and the addresses for a kept plan. */
#ifndef SIMULATOR_ACLNN_CACHE_H
#define SIMULATOR_ACLNN_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool CanUsePTACache(const char *api);
void InitPTACacheThreadLocal(void);
void UnInitPTACacheThreadLocal(void);
void ResetCacheThreadLocal(void);
void SetPTAHashKey(uint64_t hash);
void SetPTACacheHashKey(uint8_t *key, size_t len);
void AddTensorAddrToCachedList(void *addr);

/* Pools of host memory for executors, which are plain blocks here: there is nothing to choose, and nothing to give back. */
int InitHugeMemThreadLocal(void *arg, bool sync);
void UnInitHugeMemThreadLocal(void *arg, bool sync);
void ReleaseHugeMem(void *arg, bool sync);

#endif
