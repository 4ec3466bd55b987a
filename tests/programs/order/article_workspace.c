//@ flags: -lopapi -lnnopbase
//@ env: ACLSIM_STREAM_DELAY_US=100000
// The same sample with an input that is not dense, for which, as the article has it, the operator needs a workspace; and a pool that is full,
// so that all goes back to the runtime: the workspace, too, while the operator is queued.
#include "../operators/operators.h"

enum { SIDE = 32, COUNT = SIDE * SIDE };

static aclTensor *turned(void *data) {
    const int64_t dims[] = {SIDE, SIDE}, strides[] = {1, SIDE};
    return aclCreateTensor(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dims, 2, data);
}

static void add(const float *left, const float *right, float *sum, aclrtStream queue) {
    const size_t bytes = COUNT * sizeof(float);
    void *in1 = device(bytes), *in2 = device(bytes), *out = device(bytes);
    MUST(aclrtMemcpy(in1, bytes, left, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(in2, bytes, right, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor *tensors[] = {matrix(SIDE, SIDE, in1), turned(in2), matrix(SIDE, SIDE, out)};
    float one = 1;
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnAddGetWorkspaceSize(tensors[0], tensors[1], alpha, tensors[2], &size, &executor));
    void *workspace = device(size);
    MUST(aclnnAdd(workspace, size, executor, queue));
    MUST(aclrtMemcpy(sum, bytes, out, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < 3; i++) MUST(aclDestroyTensor(tensors[i]));
    MUST(aclDestroyScalar(alpha));
    MUST(aclrtFree(in1));
    MUST(aclrtFree(in2));
    MUST(aclrtFree(out));
    MUST(aclrtFree(workspace));
}

int main(void) {
    begin();
    aclrtStream queue = stream();
    static float left[COUNT], right[COUNT], sum[COUNT];
    add(left, right, sum, queue);
    aclrtSynchronizeStream(queue); // the result depends on a race
    aclrtDestroyStream(queue);
    end();
    return 0;
}
