//@ env: ACLSIM_STREAM_DELAY_US=500
// Models and graphs that wait for a notify or a value: everything they use was written before, by the recorder.
#include "order.h"

static void fill(char *host, char *rows, int value, aclrtStream feeds) {
    memset(host, value, N);
    MUST(aclrtMemcpyAsync(rows, N, host, N, ACL_MEMCPY_HOST_TO_DEVICE, feeds));
}

static void use(char *rows, char *read, aclrtStream kept) {
    MUST(aclrtMemcpyAsync(read, N, rows, N, ACL_MEMCPY_DEVICE_TO_HOST, kept));
}

static aclmdlRI built(aclrtStream *kept) {
    aclmdlRI model = NULL;
    MUST(aclmdlRIBuildBegin(&model, 0));
    MUST(aclrtCreateStreamWithConfig(kept, 0, ACL_STREAM_PERSISTENT));
    MUST(aclmdlRIBindStream(model, *kept, ACL_MODEL_STREAM_FLAG_HEAD));
    return model;
}

static void finish(aclmdlRI model, aclrtStream kept) {
    MUST(aclmdlRIEndTask(model, kept));
    MUST(aclmdlRIBuildEnd(model, NULL));
}

static void drop(aclmdlRI model, aclrtStream kept) {
    MUST(aclmdlRIUnbindStream(model, kept));
    MUST(aclrtDestroyStream(kept));
    MUST(aclmdlRIDestroy(model));
}

int main(void) {
    begin();
    aclrtStream kept, flagged, captured = stream(), runs = stream(), feeds = stream();
    char *rows = device(N), *host = pinned(N), *read = pinned(N);
    uint64_t *flag = (uint64_t *)device(64);
    aclrtNotify ready;
    MUST(aclrtCreateNotify(&ready, 0));
    MUST(aclrtMemset(flag, 64, 0, 64));

    aclmdlRI model = built(&kept), by_value = built(&flagged), graph = NULL;
    MUST(aclrtWaitAndResetNotify(ready, kept, 0));
    use(rows, read, kept);
    finish(model, kept);
    MUST(aclrtValueWait(flag, 1, ACL_STREAM_WAIT_VALUE_EQ, flagged));
    use(rows, read, flagged);
    finish(by_value, flagged);
    MUST(aclmdlRICaptureBegin(captured, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    MUST(aclrtWaitAndResetNotify(ready, captured, 0));
    use(rows, read, captured);
    MUST(aclmdlRICaptureEnd(captured, &graph));

    for (int turn = 1; turn < 4; turn++) {
        fill(host, rows, turn, feeds);
        MUST(aclrtRecordNotify(ready, feeds));
        MUST(aclmdlRIExecuteAsync(model, runs));
        MUST(aclrtSynchronizeStream(runs));
        if (read[7] != turn) return 3;
        fill(host, rows, turn + 10, feeds);
        MUST(aclrtRecordNotify(ready, feeds));
        MUST(aclmdlRIExecute(graph, -1));
        if (read[7] != turn + 10) return 4;
    }
    fill(host, rows, 20, feeds);
    MUST(aclrtValueWrite(flag, 1, 0, feeds));
    MUST(aclmdlRIExecuteAsync(by_value, runs));
    MUST(aclrtSynchronizeStream(runs));
    if (read[7] != 20) return 5;
    MUST(aclrtFree(rows)); // the stream that fed them was waited for by the models
    MUST(aclrtFreeHost(host));

    drop(model, kept);
    drop(by_value, flagged);
    MUST(aclmdlRIDestroy(graph));
    MUST(aclrtDestroyNotify(ready));
    MUST(aclrtDestroyStream(captured));
    MUST(aclrtDestroyStream(runs));
    MUST(aclrtDestroyStream(feeds));
    MUST(aclrtFree(flag));
    MUST(aclrtFreeHost(read));
    end();
    return 0;
}
