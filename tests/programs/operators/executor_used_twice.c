//@ flags: -lopapi -lnnopbase
// An executor runs, and is run again; is made repeatable too late; is destroyed after its run; runs after it was destroyed.
#include "operators.h"

int main(void) {
    begin();
    aclrtStream queue = stream();
    float *a = floats(256), *b = floats(256);
    char *workspace = device(1024);
    aclTensor *in = matrix(16, 16, a), *out = matrix(16, 16, b);
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, &size, &executor));
    MUST(aclnnMatmul(workspace, size, executor, queue));
    printf("again: %d\n", aclnnMatmul(workspace, size, executor, queue));
    printf("repeatable: %d\n", aclSetAclOpExecutorRepeatable(executor));
    printf("destroyed: %d\n", aclDestroyAclOpExecutor(executor));

    MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, &size, &executor));
    MUST(aclSetAclOpExecutorRepeatable(executor));
    for (int step = 0; step < 2; step++) MUST(aclnnMatmul(workspace, size, executor, queue));
    MUST(aclDestroyAclOpExecutor(executor));
    printf("after its end: %d\n", aclnnMatmul(workspace, size, executor, queue));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclDestroyTensor(in));
    MUST(aclDestroyTensor(out));
    void *blocks[] = {a, b, workspace};
    for (int i = 0; i < 3; i++) MUST(aclrtFree(blocks[i]));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
