//@ flags: -lopapi -lnnopbase
//@ env: ACLSIM_STREAM_DELAY_US=2000
// One thread makes the shared workspace larger while another's operator works there.
// https://github.com/ggml-org/llama.cpp/pull/20151: threads that set tensors share the device's workspace,
// and one grows it under the other's conversion.
#include "../operators/operators.h"
#include <pthread.h>

static char *workspace;
static size_t workspace_size;

static void grow(size_t size) {
    if (workspace_size >= size) return;
    if (workspace != NULL) MUST(aclrtFree(workspace));
    workspace = device(size);
    workspace_size = size;
}

static void convert(float *data, int64_t rows, aclrtStream queue) {
    aclTensor *in = matrix(rows, rows, data), *out = matrix(rows, rows, data + rows * rows);
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, &size, &executor));
    grow(size);
    MUST(aclnnMatmul(workspace, size, executor, queue));
    MUST(aclDestroyTensor(in));
    MUST(aclDestroyTensor(out));
}

static void *other(void *data) {
    MUST(aclrtSetDevice(0));
    aclrtStream queue = stream();
    convert(data, 32, queue);
    aclrtSynchronizeStream(queue);
    MUST(aclrtDestroyStream(queue));
    MUST(aclrtResetDevice(0));
    return NULL;
}

int main(void) {
    begin();
    aclrtStream queue = stream();
    float *small = floats(2 * 8 * 8), *large = floats(2 * 32 * 32);
    convert(small, 8, queue);
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, other, large));
    MUST(pthread_join(thread, NULL));
    aclrtSynchronizeStream(queue); // the result depends on a race
    void *blocks[] = {small, large, workspace};
    for (int i = 0; i < 3; i++) MUST(aclrtFree(blocks[i]));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
