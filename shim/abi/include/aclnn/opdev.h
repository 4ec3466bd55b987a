/* Where every operator of libopapi.so comes through on its way into libnnopbase.so.
 *
 * Most are members of C++ classes in the real headers; each is declared here as the function that it is to the linker, by the linker's name. */
#ifndef ACLSAN_OPDEV_H
#define ACLSAN_OPDEV_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* UniqueExecutor::UniqueExecutor(const char *): phase one begins a plan. */
void _ZN14UniqueExecutorC1EPKc(void *self, const char *funcName);
/* aclOpExecutor::GetWorkspaceSize() const: the bytes that the plan needs. */
uint64_t _ZNK13aclOpExecutor16GetWorkspaceSizeEv(const aclOpExecutor *executor);
/* aclOpExecutor::AddCache(): phase one hands its executor to the caller. */
void _ZN13aclOpExecutor8AddCacheEv(aclOpExecutor *executor);
/* op::internal::GetFromCache(): whether phase one was answered out of the cache. */
bool _ZN2op8internal12GetFromCacheEPP13aclOpExecutorPm(aclOpExecutor **executor, uint64_t *workspaceSize);
/* The same for torch_npu. NULL when there is none. */
aclOpExecutor *PTAGetExecCache(uint64_t hash, uint64_t *workspaceSize);
aclOpExecutor *PTAFindExecCache(uint8_t *buf, size_t len, uint64_t *workspaceSize);
/* CommonOpExecutorRun(): phase two. Compares no sizes: only NULL with a size is refused. */
aclnnStatus _Z19CommonOpExecutorRunPvmP13aclOpExecutorS_(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                         aclrtStream stream);

/* The two phases of operators whose code is generated; the executor is of another kind, and is taken back, not destroyed. A size below what
 * phase one answered is refused. */
aclnnStatus NnopbaseRunForWorkspace(void *executor, uint64_t *workspaceLen);
/* Asked first, where there is such a function: whether the same arguments were planned before. Then it answers instead of the one above. */
bool NnopbaseMatchArgs(void *executor, uint64_t *workspaceLen);
aclnnStatus NnopbaseRunWithWorkspace(void *executor, aclrtStream stream, void *workspace, uint64_t workspaceLen);

#ifdef __cplusplus
}
#endif

#endif
