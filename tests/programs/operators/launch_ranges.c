//@ flags: -lopapi -lnnopbase -lacl_op_compiler
// Operators by name whose buffers leave their blocks or lie in released ones; a phase two whose workspace was released.
#include "operators.h"
#include "acl/acl_op_compiler.h"

static aclrtStream queue;

static void relu(void *from, size_t read, void *to, size_t written) {
    const int64_t dims[] = {8};
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
    aclDataBuffer *in = aclCreateDataBuffer(from, read), *out = aclCreateDataBuffer(to, written);
    MUST(aclopExecuteV2("Relu", 1, &desc, &in, 1, &desc, &out, NULL, queue));
    aclrtSynchronizeStream(queue);
    MUST(aclDestroyDataBuffer(in));
    MUST(aclDestroyDataBuffer(out));
    aclDestroyTensorDesc(desc);
}

int main(void) {
    begin();
    queue = stream();
    float *a = floats(8), *b = floats(8), *gone = floats(4096);
    relu(a, 64, b, 32);
    relu(a, 32, b + 4, 32);
    MUST(aclrtFree(gone));
    relu(a, 32, gone + 8, 32);

    float *matrices = floats(128);
    aclTensor *in = matrix(8, 8, matrices), *out = matrix(8, 8, matrices + 64);
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, &size, &executor));
    MUST(aclnnMatmul(gone, size, executor, queue));
    aclrtSynchronizeStream(queue);
    MUST(aclDestroyTensor(in));
    MUST(aclDestroyTensor(out));
    MUST(aclrtFree(a));
    MUST(aclrtFree(b));
    MUST(aclrtFree(matrices));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
