//@ flags: -lopapi -lnnopbase
//@ env: ACLSIM_STREAM_DELAY_US=500
// One workspace for a stream's operators, another stream's after an event, released when all have run.
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
    float *a = floats(1024), *b = floats(1024);
    char *shared = device(1 << 20);
    aclTensor *in = matrix(32, 32, a), *out = matrix(32, 32, b);
    for (int i = 0; i < 3; i++) square(in, out, shared, first);
    aclrtEvent done = NULL;
    MUST(aclrtCreateEvent(&done));
    MUST(aclrtRecordEvent(done, first));
    MUST(aclrtStreamWaitEvent(second, done));
    square(in, out, shared, second);
    MUST(aclrtSynchronizeStream(second));
    MUST(aclrtFree(shared));
    MUST(aclrtDestroyEvent(done));
    MUST(aclDestroyTensor(in));
    MUST(aclDestroyTensor(out));
    MUST(aclrtFree(a));
    MUST(aclrtFree(b));
    MUST(aclrtDestroyStream(first));
    MUST(aclrtDestroyStream(second));
    end();
    return 0;
}
