//@ flags: -lopapi -lnnopbase
// A generated operator's second phase one finds the first one's arguments, and answers without a plan: its needs are the same, and it gets
// a byte less.
#include "operators.h"

int main(void) {
    begin();
    aclrtStream queue = stream();
    float *x = floats(64), *gamma = floats(8), *y = floats(64), *roots = floats(8);
    aclTensor *tensors[] = {matrix(8, 8, x), matrix(1, 8, gamma), matrix(8, 8, y), matrix(8, 1, roots)};
    char *workspace = device(512);
    for (int step = 0; step < 2; step++) {
        uint64_t size;
        aclOpExecutor *executor;
        MUST(aclnnRmsNormGetWorkspaceSize(tensors[0], tensors[1], 1e-5, tensors[2], tensors[3], &size, &executor));
        printf("%d\n", aclnnRmsNorm(workspace, size - step, executor, queue));
    }
    MUST(aclrtSynchronizeStream(queue));
    for (int i = 0; i < 4; i++) MUST(aclDestroyTensor(tensors[i]));
    void *blocks[] = {x, gamma, y, roots, workspace};
    for (int i = 0; i < 5; i++) MUST(aclrtFree(blocks[i]));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
