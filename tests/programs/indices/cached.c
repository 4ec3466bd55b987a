//@ flags: -lnnopbase
//@ options: check_indices=1
// A plan out of the cache is given other numbers, at another address: nobody describes its tensors again.
#include "indices.h"
#include "aclnn/opdev.h"
#include <dlfcn.h>

static void *opapi;

static void *memory(const int64_t *values) {
    (void)tensor(ACL_INT64, 3, 0, values);
    return made[made_count - 1].memory;
}

/* As torch_npu calls an operator: a key and addresses first, tensors and phase one only where the cache has nothing. */
static void embed(void *table, void *chosen, void *out) {
    ((void (*)(void))dlsym(opapi, "InitPTACacheThreadLocal"))();
    ((void (*)(uint64_t))dlsym(opapi, "SetPTAHashKey"))(7);
    void (*address)(void *) = (void (*)(void *))dlsym(opapi, "AddTensorAddrToCachedList");
    address(table);
    address(chosen);
    address(out);
    uint64_t need;
    aclOpExecutor *executor = ((__typeof__(&PTAGetExecCache))dlsym(opapi, "PTAGetExecCache"))(7, &need);
    printf(executor ? "cached\n" : "planned\n");
    if (!executor) {
        const int64_t count = 3;
        aclTensor *rows = matrix(100, 4, table), *to = matrix(3, 4, out);
        aclTensor *indices = aclCreateTensor(&count, 1, ACL_INT64, NULL, 0, ACL_FORMAT_ND, &count, 1, chosen);
        MUST(((__typeof__(&aclnnEmbeddingGetWorkspaceSize))dlsym(opapi, "aclnnEmbeddingGetWorkspaceSize"))(rows, indices, to, &need, &executor));
        MUST(aclDestroyTensor(rows) + aclDestroyTensor(to));
        MUST(aclDestroyTensor(indices));
    }
    ((void (*)(void))dlsym(opapi, "UnInitPTACacheThreadLocal"))();
    MUST(((__typeof__(&aclnnEmbedding))dlsym(opapi, "aclnnEmbedding"))(workspace, need, executor, queue));
    printf("waited: %d\n", aclrtSynchronizeStream(queue));
}

int main(void) {
    open_queue();
    opapi = dlopen("libopapi.so", RTLD_LAZY | RTLD_LOCAL);
    if (opapi == NULL) return puts(dlerror()), 9;
    float *table = floats(400), *out = floats(12);
    embed(table, memory((const int64_t[]){1, 2, 3}), out);
    embed(table, memory((const int64_t[]){4, 5, 99}), out);
    embed(table, memory((const int64_t[]){4, 100, 6}), out);
    MUST(aclrtFree(table));
    MUST(aclrtFree(out));
    close_queue();
    return 0;
}
