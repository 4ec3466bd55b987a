//@ flags: -lopapi -lnnopbase
//@ env: ACLSIM_STREAM_DELAY_US=500
// The article's operator, waited for; inputs that are read while the operator reads them; tensors of two operators.
#include "../operators/operators.h"

enum { COUNT = 1024, BYTES = COUNT * sizeof(float) };

static void add(aclTensor *left, aclTensor *right, aclTensor *sum, aclrtStream queue) {
    float one = 1;
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnAddGetWorkspaceSize(left, right, alpha, sum, &size, &executor));
    MUST(aclnnAdd(NULL, size, executor, queue));
    MUST(aclDestroyScalar(alpha));
}

int main(void) {
    begin();
    aclrtStream queue = stream();
    static float host[COUNT];
    float *in1 = floats(COUNT), *in2 = floats(COUNT), *out = (float *)device(BYTES), *last = (float *)device(BYTES);
    aclTensor *left = matrix(1, COUNT, in1), *right = matrix(1, COUNT, in2), *sum = matrix(1, COUNT, out);
    add(left, right, sum, queue);
    MUST(aclrtMemcpy(host, BYTES, in1, BYTES, ACL_MEMCPY_DEVICE_TO_HOST)); // both only read
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtMemcpy(host, BYTES, out, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclDestroyTensor(left));
    MUST(aclDestroyTensor(right));
    MUST(aclDestroyTensor(sum));
    MUST(aclrtFree(in2));
    // Made before the first of two operators, given to the second.
    left = matrix(1, COUNT, in1), sum = matrix(1, COUNT, out);
    aclTensor *late = matrix(1, COUNT, last);
    add(left, left, sum, queue);
    MUST(aclrtMemcpy(last, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE)); // the first does not have it
    add(left, late, sum, queue);
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclDestroyTensor(left));
    MUST(aclDestroyTensor(late));
    MUST(aclDestroyTensor(sum));
    MUST(aclrtFree(in1));
    MUST(aclrtFree(out));
    MUST(aclrtFree(last));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
