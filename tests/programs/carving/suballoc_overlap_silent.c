//@ flags: -lopapi -lnnopbase
// Memory that is legally used twice: a released segment, a pool inside a segment, tensors that are views of another or
// written in place, buffers recreated over memory whose buffers are destroyed, a model that works in place.
#include "../models/model.h"
#include "../operators/operators.h"
#include "aclsan.h"

int main(void) {
    begin();
    char *block = device(8192);
    MUST(aclrtMemset(block, 8192, 0, 8192));
    aclrtStream queue = stream();
    aclsan_pool pool = aclsan_pool_create("outer", block, 4096);
    aclsan_pool_alloc(pool, block, 2048);
    aclsan_pool inner = aclsan_pool_create("inner", block, 2048);
    aclsan_pool_alloc(inner, block + 256, 128);
    aclsan_pool_destroy(inner);
    aclsan_pool_free(pool, block);
    aclsan_pool_alloc(pool, block + 1024, 2048);
    aclTensor *whole = matrix(2, 4, block + 4096), *second = matrix(1, 4, block + 4096 + 16);
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnMulGetWorkspaceSize(second, second, second, &size, &executor));
    MUST(aclnnMul(NULL, size, executor, queue));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclDestroyTensor(whole));
    MUST(aclDestroyTensor(second));
    uint32_t id;
    MUST(aclmdlLoadFromMem(model, sizeof model - 1, &id));
    for (size_t room = 64; room <= 192; room += 64) {
        aclmdlDataset *input = dataset(block + 6144, room), *output = dataset(block + 6144, room);
        MUST(aclmdlExecute(id, input, output));
        forget(input);
        forget(output);
        input = dataset(block + 6144, 192), output = dataset(block + 6144 + 64, 64);
        MUST(aclmdlExecute(id, input, output));
        forget(input);
        forget(output);
    }
    MUST(aclmdlUnload(id));
    char back[192];
    MUST(aclrtMemcpy(back, 192, block + 6144, 192, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtDestroyStream(queue));
    MUST(aclrtFree(block));
    end();
    return 0;
}
