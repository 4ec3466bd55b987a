//@ flags: -lopapi -lnnopbase
// The same as descriptors_left.c, fixed.
// https://github.com/DeepLink-org/dlinfer/pull/254 and pull/247: descriptors of an operator go with it.
#include "../operators/operators.h"

static void add(float *data, aclrtStream queue, int is_last) {
    aclTensor *in = matrix(4, 4, data), *out = matrix(4, 4, data);
    float one = 1;
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnInplaceAddGetWorkspaceSize(out, in, alpha, &size, &executor));
    MUST(aclnnInplaceAdd(NULL, size, executor, queue));
    MUST(aclDestroyScalar(alpha));
    (void)is_last;
    MUST(aclDestroyTensor(in));
    MUST(aclDestroyTensor(out));
}

int main(void) {
    begin();
    aclrtStream queue = stream();
    float *data = floats(16);
    for (int step = 0; step < 3; step++) add(data, queue, step == 2);
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtFree(data));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
