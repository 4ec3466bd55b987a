//@ env: ACLSIM_STREAM_DELAY_US=500
// Nothing of a bound stream runs before the model is executed, and an execution that the host has waited for is done with its memory. What a
// persistent stream without a model is given belongs to no model. Host executions run after the default stream. Pageable memory is copied at the
// call, to a bound stream too.
#include "order.h"

static aclrtStream persistent(void) {
    aclrtStream made = NULL;
    MUST(aclrtCreateStreamWithConfig(&made, 0, ACL_STREAM_PERSISTENT));
    return made;
}

int main(void) {
    begin();
    aclrtStream kept = persistent(), second = persistent(), runs = stream();
    aclmdlRI model = NULL;
    char *rows = device(N), *sum = device(N), *host = pinned(N), *read = pinned(N), *changed = device(N);
    MUST(aclmdlRIBuildBegin(&model, 0));
    MUST(aclmdlRIBindStream(model, kept, ACL_MODEL_STREAM_FLAG_HEAD));
    MUST(aclmdlRIBindStream(model, second, ACL_MODEL_STREAM_FLAG_HEAD));
    MUST(aclrtMemcpyAsync(rows, N, host, N, ACL_MEMCPY_HOST_TO_DEVICE, kept));
    MUST(aclrtMemcpyAsync(read, N, rows, N, ACL_MEMCPY_DEVICE_TO_HOST, kept));
    MUST(aclrtMemsetAsync(sum, N, 3, N, second));
    char *weights = device(N), *gone = device(N), *given = calloc(1, N);
    MUST(aclrtMemcpyAsync(weights, N, given, N, ACL_MEMCPY_HOST_TO_DEVICE, kept));
    MUST(aclrtMemcpyAsync(gone, N, given, N, ACL_MEMCPY_HOST_TO_DEVICE, kept));
    MUST(aclrtFree(gone));
    free(given);
    MUST(aclmdlRIEndTask(model, kept));
    MUST(aclmdlRIBuildEnd(model, NULL));
    for (int turn = 1; turn < 4; turn++) {
        MUST(aclrtMemset(rows, N, 0, N));
        memset(host, turn, N);
        MUST(aclmdlRIExecute(model, -1));
        if (read[7] != turn) return 3;
        MUST(aclmdlRIExecuteAsync(model, runs));
        MUST(aclrtSynchronizeStream(runs));
        MUST(aclrtMemcpy(read, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST));
        if (read[7] != 3) return 4;
    }
    memset(host, 9, N);
    MUST(aclrtMemsetAsync(rows, N, 8, N, NULL));
    MUST(aclrtMemsetAsync(weights, N, 8, N, NULL));
    MUST(aclmdlRIExecute(model, -1));
    if (read[7] != 9) return 5;
    MUST(aclrtFree(weights));
    MUST(aclrtMemsetAsync(changed, N, 4, N, runs)); // another stream continues as usual
    MUST(aclrtSynchronizeStream(runs));
    MUST(aclrtFree(changed));
    MUST(aclmdlRIUnbindStream(model, kept));
    MUST(aclmdlRIUnbindStream(model, second));
    MUST(aclmdlRIDestroy(model));
    MUST(aclrtFree(rows)); // before the stream that was given the copies
    MUST(aclrtFree(sum));
    MUST(aclrtFreeHost(host));
    MUST(aclrtFreeHost(read));
    MUST(aclrtDestroyStream(kept));
    MUST(aclrtDestroyStream(second));
    MUST(aclrtDestroyStream(runs));
    end();
    return 0;
}
