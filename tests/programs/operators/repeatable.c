//@ flags: -lopapi -lnnopbase
//@ options: guard=off
// A repeatable executor is given less each time: the requested size, half of it, a piece at the end of a block.
#include "operators.h"

int main(void) {
    begin();
    aclrtStream queue = stream();
    float *a = floats(256), *b = floats(256);
    char *workspace = device(1 << 20);
    aclTensor *in = matrix(16, 16, a), *out = matrix(16, 16, b);
    uint64_t size; // 1024
    aclOpExecutor *executor;
    MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, &size, &executor));
    MUST(aclSetAclOpExecutorRepeatable(executor));
    MUST(aclnnMatmul(workspace, size, executor, queue));
    MUST(aclnnMatmul(workspace, size / 2, executor, queue));
    MUST(aclnnMatmul(workspace + (1 << 20) - 512, size, executor, queue));
    MUST(aclnnMatmul(workspace, size, executor, queue));
    MUST(aclDestroyAclOpExecutor(executor));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclDestroyTensor(in));
    MUST(aclDestroyTensor(out));
    void *blocks[] = {a, b, workspace};
    for (int i = 0; i < 3; i++) MUST(aclrtFree(blocks[i]));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
