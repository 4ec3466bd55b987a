//@ flags: -lopapi -lnnopbase
//@ env: ACLSIM_STREAM_DELAY_US=100000
// The workspace goes before the operator has run; then two streams share one; then a copy writes there.
#include "../operators/operators.h"

static void square(aclTensor *in, aclTensor *out, char *workspace, aclrtStream on) {
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, &size, &executor));
    MUST(aclnnMatmul(workspace, size, executor, on));
}

int main(void) {
    begin();
    aclrtStream first = stream(), second = stream();
    float *a = floats(1024), *b = floats(1024), *c = floats(1024);
    char *own = device(1 << 20), *shared = device(1 << 20), *staging = pinned(1 << 20);
    aclTensor *in = matrix(32, 32, a), *out = matrix(32, 32, b), *other = matrix(32, 32, c);
    square(in, out, own, first);
    MUST(aclrtFree(own));
    square(in, out, shared, first);
    square(in, other, shared, second);
    aclrtSynchronizeDevice(); // the result depends on a race
    square(in, out, shared, first);
    MUST(aclrtMemcpyAsync(shared, 1 << 20, staging, 1 << 20, ACL_MEMCPY_HOST_TO_DEVICE, second));
    aclrtSynchronizeDevice();
    aclTensor *tensors[] = {in, out, other};
    for (int i = 0; i < 3; i++) MUST(aclDestroyTensor(tensors[i]));
    void *blocks[] = {a, b, c, shared};
    for (int i = 0; i < 4; i++) MUST(aclrtFree(blocks[i]));
    MUST(aclrtFreeHost(staging));
    aclrtDestroyStream(first);
    aclrtDestroyStream(second);
    end();
    return 0;
}
