//@ flags: -lopapi -lnnopbase -lacl_op_compiler -lacl_cblas
// Operators by name, in every form: buffers that are their blocks, halves of them, one for both sides, host memory where the descriptor
// says so, and constants.
#include "operators.h"
#include "acl/acl_op_compiler.h"

int main(void) {
    begin();
    aclrtStream queue = stream();
    float *a = floats(16);
    static float host[8] = {1, -2, 3};
    const int64_t dims[] = {8};
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
    aclTensorDesc *placed = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
    MUST(aclSetTensorPlaceMent(placed, ACL_MEMTYPE_HOST));
    aclDataBuffer *low = aclCreateDataBuffer(a, 32), *high = aclCreateDataBuffer(a + 8, 32), *from = aclCreateDataBuffer(host, 32);
    MUST(aclopExecuteV2("Relu", 1, &placed, &from, 1, &desc, &low, NULL, queue));
    const aclTensorDesc *in = desc;
    const aclDataBuffer *read = low;
    MUST(aclopExecute("Relu", 1, &in, &read, 1, &in, &high, NULL, queue));
    MUST(aclopCompileAndExecute("Neg", 1, &in, &read, 1, &in, &low, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, queue));
    MUST(aclopCompileAndExecuteV2("Identity", 1, &desc, &low, 1, &desc, &high, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, queue));
    MUST(aclopCast(desc, low, desc, high, 0, queue));
    aclopHandle *handle;
    MUST(aclopCreateHandle("Relu", 1, &in, 1, &in, NULL, &handle));
    MUST(aclopExecWithHandle(handle, 1, &read, 1, &high, queue));
    aclopDestroyHandle(handle);
    MUST(aclrtSynchronizeStream(queue));
    float now[16];
    MUST(aclrtMemcpy(now, sizeof now, a, sizeof now, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("%g %g %g, %g %g %g\n", now[0], now[1], now[2], now[8], now[9], now[10]);
    MUST(aclDestroyDataBuffer(low));
    MUST(aclDestroyDataBuffer(high));
    MUST(aclDestroyDataBuffer(from));
    aclDestroyTensorDesc(desc);
    aclDestroyTensorDesc(placed);
    MUST(aclrtFree(a));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
