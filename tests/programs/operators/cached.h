/* torch_npu's way to an executor: a key first, phase one only where the cache has nothing; all of it looked up by handle. */
#ifndef PROGRAMS_OPERATORS_CACHED_H
#define PROGRAMS_OPERATORS_CACHED_H
#include "operators.h"
#include "aclnn/opdev.h"
#include <dlfcn.h>

static void *opapi;

/* The executor of a @ a into out, and the workspace that it needs; says whether it came out of the cache. */
static inline int product(const float *a, float *out, int64_t size, aclOpExecutor **executor, uint64_t *need) {
    ((void (*)(void))dlsym(opapi, "InitPTACacheThreadLocal"))();
    ((void (*)(uint64_t))dlsym(opapi, "SetPTAHashKey"))((uint64_t)size);
    void (*address)(void *) = (void (*)(void *))dlsym(opapi, "AddTensorAddrToCachedList");
    address((void *)a);
    address((void *)a);
    address(out);
    *executor = ((__typeof__(&PTAGetExecCache))dlsym(opapi, "PTAGetExecCache"))((uint64_t)size, need);
    int is_cached = *executor != NULL;
    if (!is_cached) {
        aclTensor *to = matrix(size, size, out), *right = matrix(size, size, (void *)a), *left = matrix(size, size, (void *)a);
        MUST(((__typeof__(&aclnnMatmulGetWorkspaceSize))dlsym(opapi, "aclnnMatmulGetWorkspaceSize"))(left, right, to, 0, need, executor));
        MUST(aclDestroyTensor(left) + aclDestroyTensor(right));
        MUST(aclDestroyTensor(to));
    }
    ((void (*)(void))dlsym(opapi, "UnInitPTACacheThreadLocal"))();
    return is_cached;
}

static inline void run(aclOpExecutor *executor, void *workspace, uint64_t size, aclrtStream queue) {
    MUST(((__typeof__(&aclnnMatmul))dlsym(opapi, "aclnnMatmul"))(workspace, size, executor, queue));
}
#endif
