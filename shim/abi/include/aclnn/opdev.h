/* Where every operator of libopapi.so comes through on its way into libnnopbase.so.
 *
 * Most are members of C++ classes in the real headers; each is declared here as the function that it is to the linker, by the linker's name. */
#ifndef ACLSAN_OPDEV_H
#define ACLSAN_OPDEV_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The end of phase one: aclOpExecutor::GetWorkspaceSize() const, the bytes that the plan needs, and aclOpExecutor::AddCache(), the executor
 * handed to the caller. */
uint64_t aclOpExecutorGetWorkspaceSize(const aclOpExecutor *executor) __asm__("_ZNK13aclOpExecutor16GetWorkspaceSizeEv");
void aclOpExecutorAddCache(aclOpExecutor *executor) __asm__("_ZN13aclOpExecutor8AddCacheEv");
/* op::internal::GetFromCache: whether phase one was answered out of the cache. */
bool aclOpGetFromCache(aclOpExecutor **executor, uint64_t *workspaceSize)
    __asm__("_ZN2op8internal12GetFromCacheEPP13aclOpExecutorPm");
/* The same for torch_npu. NULL when there is none. */
aclOpExecutor *PTAGetExecCache(uint64_t hash, uint64_t *workspaceSize);
aclOpExecutor *PTAFindExecCache(uint8_t *buf, size_t len, uint64_t *workspaceSize);
/* Phase two. Compares no sizes: only NULL with a size is refused. */
aclnnStatus CommonOpExecutorRun(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
    __asm__("_Z19CommonOpExecutorRunPvmP13aclOpExecutorS_");

/* The two phases of operators whose code is generated; the executor is of another kind, and is taken back, not destroyed. A size below what
 * phase one answered is refused. */
aclnnStatus NnopbaseRunForWorkspace(void *executor, uint64_t *workspaceLen);
aclnnStatus NnopbaseRunWithWorkspace(void *executor, aclrtStream stream, void *workspace, uint64_t workspaceLen);

#ifdef __cplusplus
}
#endif

#endif
