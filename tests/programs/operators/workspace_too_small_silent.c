//@ flags: -lopapi -lnnopbase
// A pool that is large enough, more than was asked for, none where none is needed, the last bytes of a block, an executor that runs again,
// and executors at addresses of earlier ones that needed more.
#include "operators.h"

int main(void) {
    begin();
    aclrtStream queue = stream();
    float *a = floats(1024), *b = floats(1024);
    char *pool = device(1 << 20);
    aclTensor *in = matrix(32, 32, a), *out = matrix(32, 32, b), *empty = matrix(0, 32, a);
    uint64_t size, none;
    aclOpExecutor *executor;
    for (int step = 0; step < 10; step++) {
        MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, &size, &executor));
        char *workspace = step % 2 == 0 ? pool + 512 * step : pool + (1 << 20) - size;
        MUST(aclnnMatmul(workspace, step % 2 == 0 ? size + 4096 : size, executor, queue));
        MUST(aclnnInplaceMulGetWorkspaceSize(out, in, &none, &executor));
        MUST(aclnnInplaceMul(NULL, none, executor, queue));
        MUST(aclnnMulGetWorkspaceSize(empty, empty, empty, &none, &executor));
        MUST(aclnnMul(NULL, none, executor, queue));
    }
    MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, &size, &executor));
    MUST(aclSetAclOpExecutorRepeatable(executor));
    for (int step = 0; step < 3; step++) MUST(aclnnMatmul(pool, size, executor, queue));
    MUST(aclDestroyAclOpExecutor(executor));
    MUST(aclnnInplaceMulGetWorkspaceSize(out, in, &none, &executor)); // likely where the repeatable one was
    MUST(aclnnInplaceMul(NULL, none, executor, queue));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclDestroyTensor(in));
    MUST(aclDestroyTensor(out));
    MUST(aclDestroyTensor(empty));
    MUST(aclrtFree(a));
    MUST(aclrtFree(b));
    MUST(aclrtFree(pool));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
