//@ env: ACLSIM_STREAM_DELAY_US=2000
// What a model built by hand uses is used when it is executed: blocks are released while it runs and before it is executed, its result is
// read without a wait, and is written while another stream writes it.
#include "order.h"

int main(void) {
    begin();
    aclrtStream kept = NULL, runs = stream();
    aclmdlRI model = NULL;
    char *rows = device(N), *gone = device(N), *sum = device(N), *host = pinned(N), *read = pinned(N);
    memset(host, 1, N);
    MUST(aclmdlRIBuildBegin(&model, 0));
    MUST(aclrtCreateStreamWithConfig(&kept, 0, ACL_STREAM_PERSISTENT));
    MUST(aclmdlRIBindStream(model, kept, ACL_MODEL_STREAM_FLAG_HEAD));
    MUST(aclrtMemcpyAsync(rows, N, host, N, ACL_MEMCPY_HOST_TO_DEVICE, kept));
    MUST(aclrtMemsetAsync(gone, N, 2, N, kept));
    MUST(aclrtMemcpyAsync(sum, N, rows, N, ACL_MEMCPY_DEVICE_TO_DEVICE, kept));
    MUST(aclmdlRIEndTask(model, kept));
    MUST(aclmdlRIBuildEnd(model, NULL));
    MUST(aclrtMemsetAsync(sum, N, 3, N, runs));
    MUST(aclmdlRIExecute(model, -1)); // after the default stream only
    MUST(aclrtFree(gone));
    MUST(aclmdlRIExecuteAsync(model, runs));
    MUST(aclrtMemcpy(read, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtFree(rows));
    aclrtSynchronizeStream(runs); // the fill has missed its block
    MUST(aclmdlRIUnbindStream(model, kept));
    MUST(aclrtDestroyStream(kept));
    MUST(aclmdlRIDestroy(model));
    MUST(aclrtDestroyStream(runs));
    MUST(aclrtFree(sum));
    MUST(aclrtFreeHost(host));
    MUST(aclrtFreeHost(read));
    end();
    return 0;
}
