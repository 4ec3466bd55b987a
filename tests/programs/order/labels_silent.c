// A stream that continues at a label skips the tasks before it: a model that never comes to a block again does not use it.
#include "order.h"

int main(void) {
    begin();
    aclrtStream kept = NULL, runs = stream();
    aclmdlRI model = NULL;
    aclrtLabel labels[2];
    aclrtLabelList list;
    char *skipped = device(N), *rows = device(N), *read = pinned(N);
    uint32_t second = 1, *index = (uint32_t *)device(64);
    MUST(aclrtMemcpy(index, sizeof second, &second, sizeof second, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclmdlRIBuildBegin(&model, 0));
    MUST(aclrtCreateStreamWithConfig(&kept, 0, ACL_STREAM_PERSISTENT));
    MUST(aclmdlRIBindStream(model, kept, ACL_MODEL_STREAM_FLAG_HEAD));
    MUST(aclrtCreateLabel(&labels[0]));
    MUST(aclrtCreateLabel(&labels[1]));
    MUST(aclrtCreateLabelList(labels, 2, &list));
    MUST(aclrtMemsetAsync(rows, N, 3, N, kept));
    MUST(aclrtSwitchLabelByIndex(index, 2, list, kept));
    MUST(aclrtSetLabel(labels[0], kept));
    MUST(aclrtMemsetAsync(skipped, N, 4, N, kept));
    MUST(aclrtMemsetAsync(rows, N, 5, N, kept));
    MUST(aclrtSetLabel(labels[1], kept));
    MUST(aclrtMemcpyAsync(read, N, rows, N, ACL_MEMCPY_DEVICE_TO_HOST, kept));
    MUST(aclmdlRIEndTask(model, kept));
    MUST(aclmdlRIBuildEnd(model, NULL));
    MUST(aclrtFree(skipped));
    MUST(aclmdlRIExecuteAsync(model, runs));
    MUST(aclrtSynchronizeStream(runs));
    if (read[7] != 3) return 3;
    MUST(aclmdlRIUnbindStream(model, kept));
    MUST(aclmdlRIDestroy(model));
    MUST(aclrtDestroyLabelList(list));
    MUST(aclrtDestroyLabel(labels[0]));
    MUST(aclrtDestroyLabel(labels[1]));
    MUST(aclrtDestroyStream(kept));
    MUST(aclrtDestroyStream(runs));
    MUST(aclrtFree(rows));
    MUST(aclrtFree(index));
    MUST(aclrtFreeHost(read));
    end();
    return 0;
}
