/* Functions of libnnopbase.so that every operator of libopapi.so calls.
 *
 * Most are members of C++ classes in the real headers; here each is declared as the function that the linker sees, by its linker name. */
#ifndef ACLSAN_OPDEV_H
#define ACLSAN_OPDEV_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* UniqueExecutor::UniqueExecutor(const char *): phase one starts a plan. */
void _ZN14UniqueExecutorC1EPKc(void *self, const char *funcName);
/* aclOpExecutor::GetWorkspaceSize() const: the bytes that the plan needs. */
uint64_t _ZNK13aclOpExecutor16GetWorkspaceSizeEv(const aclOpExecutor *executor);
/* aclOpExecutor::AddCache(): phase one passes its executor to the caller. */
void _ZN13aclOpExecutor8AddCacheEv(aclOpExecutor *executor);
/* op::internal::GetFromCache(): whether phase one was served from the cache. */
bool _ZN2op8internal12GetFromCacheEPP13aclOpExecutorPm(aclOpExecutor **executor, uint64_t *workspaceSize);
/* The calls of torch_npu, whose plans are kept under keys of all arguments but addresses. Another call begins. */
void InitPTACacheThreadLocal(void);
/* The address where the storage of the call's next tensor begins. */
void AddTensorAddrToCachedList(void *addr);
/* The plan with that key. NULL if there is none. */
aclOpExecutor *PTAGetExecCache(uint64_t hash, uint64_t *workspaceSize);
aclOpExecutor *PTAFindExecCache(uint8_t *buf, size_t len, uint64_t *workspaceSize);
/* CommonOpExecutorRun(): phase two. Does not check sizes: only NULL with a size is rejected. */
aclnnStatus _Z19CommonOpExecutorRunPvmP13aclOpExecutorS_(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                         aclrtStream stream);

/* The two phases of operators with generated code; the executor is of another kind, and is returned, not destroyed. A size below the
 * one from phase one is rejected. */
aclnnStatus NnopbaseRunForWorkspace(void *executor, uint64_t *workspaceLen);
/* Called first, if it exists: whether the same arguments were planned before. If so, it replaces the function above. */
bool NnopbaseMatchArgs(void *executor, uint64_t *workspaceLen);
aclnnStatus NnopbaseRunWithWorkspace(void *executor, aclrtStream stream, void *workspace, uint64_t workspaceLen);

#ifdef __cplusplus
}
#endif

#endif
