//@ flags: -lopapi -lnnopbase -lm
//@ options: guard=off
// The same as fewer_dimensions.c, fixed.
// https://github.com/ggml-org/llama.cpp/issues/15330 and pull/15760: `acl_rstd` is allocated for all dimensions of its tensor.
#include "../operators/operators.h"

enum { HEADS = 4, ROWS = 8, LENGTH = 16 };

int main(void) {
    begin();
    aclrtStream queue = stream();
    float *x = floats(HEADS * ROWS * LENGTH), *gamma = floats(LENGTH), *y = floats(HEADS * ROWS * LENGTH);
    float *roots = floats(HEADS * ROWS);
    aclTensor *tensors[] = {matrix(HEADS * ROWS, LENGTH, x), matrix(1, LENGTH, gamma), matrix(HEADS * ROWS, LENGTH, y),
                            matrix(HEADS * ROWS, 1, roots)};
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnRmsNormGetWorkspaceSize(tensors[0], tensors[1], 1e-5, tensors[2], tensors[3], &size, &executor));
    char *workspace = device(size);
    MUST(aclnnRmsNorm(workspace, size, executor, queue));
    MUST(aclrtSynchronizeStream(queue));
    for (int i = 0; i < 4; i++) MUST(aclDestroyTensor(tensors[i]));
    void *blocks[] = {x, gamma, y, roots, workspace};
    for (int i = 0; i < 5; i++) MUST(aclrtFree(blocks[i]));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
