//@ flags: -lopapi -lnnopbase
// One executor, run again and again with other addresses for its tensors, by every name of the calls that give them.
#include "operators.h"

int main(void) {
    begin();
    aclrtStream queue = stream();
    float *a = floats(4), *b = floats(4), *c = floats(4);
    float values[] = {1, 2, 3, 4}, now[4];
    MUST(aclrtMemcpy(a, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor *in = matrix(1, 4, a), *out = matrix(1, 4, b);
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnMulGetWorkspaceSize(in, in, out, &size, &executor));
    MUST(aclSetAclOpExecutorRepeatable(executor));
    MUST(aclnnMul(NULL, size, executor, queue));
    MUST(aclSetInputTensorAddr(executor, 0, in, b));
    MUST(AclSetOutputTensorAddr(executor, 0, out, c));
    MUST(aclnnMul(NULL, size, executor, queue));
    const aclTensor *tensors[] = {in, out};
    aclTensorList *list = aclCreateTensorList(tensors, 2);
    MUST(aclSetDynamicInputTensorAddr(executor, 0, 0, list, c));
    MUST(AclSetDynamicTensorAddr(executor, 0, 1, list, a));
    MUST(aclSetTensorAddr(executor, 0, in, c));
    MUST(aclnnMul(NULL, size, executor, queue));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtMemcpy(now, sizeof now, a, sizeof now, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("%g %g %g %g\n", now[0], now[1], now[2], now[3]);
    MUST(aclDestroyAclOpExecutor(executor));
    MUST(aclDestroyTensorList(list));
    MUST(aclrtFree(a));
    MUST(aclrtFree(b));
    MUST(aclrtFree(c));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
