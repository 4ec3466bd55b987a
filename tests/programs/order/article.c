//@ flags: -lopapi -lnnopbase
//@ env: ACLSIM_STREAM_DELAY_US=100000
// The operator sample of the article on aclnn's memory, with the prototypes that there are: its host reads the sum before anything waits
// for it, and its blocks are released while the operator is queued.
#include "../operators/operators.h"

enum { COUNT = 1024 };

static void *cached;
static size_t cached_size;

static void *take(size_t size) {
    if (cached != NULL && cached_size >= size) {
        void *block = cached;
        cached = NULL;
        return block;
    }
    return device(size);
}

static void give(void *block, size_t size) {
    if (cached == NULL) {
        cached = block;
        cached_size = size;
    } else {
        MUST(aclrtFree(block));
    }
}

static void add(const float *left, const float *right, float *sum, aclrtStream queue) {
    const size_t bytes = COUNT * sizeof(float);
    void *in1 = take(bytes), *in2 = take(bytes), *out = take(bytes);
    MUST(aclrtMemcpy(in1, bytes, left, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(in2, bytes, right, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor *tensors[] = {matrix(1, COUNT, in1), matrix(1, COUNT, in2), matrix(1, COUNT, out)};
    float one = 1;
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnAddGetWorkspaceSize(tensors[0], tensors[1], alpha, tensors[2], &size, &executor));
    void *workspace = size > 0 ? take(size) : NULL;
    MUST(aclnnAdd(workspace, size, executor, queue));
    MUST(aclrtMemcpy(sum, bytes, out, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < 3; i++) MUST(aclDestroyTensor(tensors[i]));
    MUST(aclDestroyScalar(alpha));
    give(in1, bytes);
    give(in2, bytes);
    give(out, bytes);
    if (workspace != NULL) give(workspace, size);
}

int main(void) {
    begin();
    aclrtStream queue = stream();
    static float left[COUNT], right[COUNT], sum[COUNT];
    add(left, right, sum, queue);
    aclrtSynchronizeStream(queue); // the result depends on a race
    MUST(aclrtFree(cached));
    aclrtDestroyStream(queue);
    end();
    return 0;
}
