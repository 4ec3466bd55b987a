//@ flags: -lopapi -lnnopbase
// Phase two is given less than phase one asked for, more than the block has, and a workspace that does not exist.
#include "operators.h"

static aclOpExecutor *product(aclTensor *in, aclTensor *out, uint64_t *size) {
    aclOpExecutor *executor;
    MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, size, &executor));
    return executor;
}

int main(void) {
    begin();
    aclrtStream queue = stream();
    float *a = floats(1024), *b = floats(1024);
    char *small = device(1024), *large = device(8192);
    aclTensor *in = matrix(32, 32, a), *out = matrix(32, 32, b);
    uint64_t size;
    aclOpExecutor *executor = product(in, out, &size);
    printf("phase one asks for %d\n", (int)size);
    MUST(aclnnMatmul(large, size / 2, executor, queue)); // less than it asked for
    MUST(aclrtSynchronizeStream(queue));

    executor = product(in, out, &size);
    MUST(aclnnMatmul(large + 5000, size, executor, queue)); // runs off the block
    MUST(aclrtSynchronizeStream(queue));

    executor = product(in, out, &size);
    printf("without a workspace: %d\n", aclnnMatmul(NULL, size, executor, queue));

    float *roots = floats(32), *scale = floats(32);
    aclTensor *root = matrix(32, 1, roots), *gamma = matrix(1, 32, scale);
    MUST(aclnnRmsNormGetWorkspaceSize(in, gamma, 1e-5, out, root, &size, &executor));
    printf("generated, too little: %d\n", aclnnRmsNorm(small, size - 1, executor, queue));
    MUST(aclnnRmsNorm(small, size, executor, queue));
    MUST(aclrtSynchronizeStream(queue));

    aclTensor *tensors[] = {in, out, root, gamma};
    for (int i = 0; i < 4; i++) MUST(aclDestroyTensor(tensors[i]));
    void *blocks[] = {a, b, small, large, roots, scale};
    for (int i = 0; i < 6; i++) MUST(aclrtFree(blocks[i]));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
