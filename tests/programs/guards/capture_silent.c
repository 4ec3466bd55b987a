// Blocks that come and go while a stream is captured: no copy of ours may get into the capture, or fail because of it.
#include <pthread.h>

#include "../rt.h"

static void *elsewhere(void *unused) {
    MUST(aclrtSetDevice(0));
    MUST(aclrtFree(device(1000)));
    MUST(aclrtResetDevice(0));
    return unused;
}

int main(void) {
    begin();
    aclrtStream stream = NULL;
    aclmdlRI graph = NULL;
    pthread_t thread;
    char *before = device(1000), *during = NULL;
    MUST(aclrtCreateStream(&stream));
    for (int mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL; mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED; mode++) {
        MUST(aclmdlRICaptureBegin(stream, (aclmdlRICaptureMode)mode));
        during = device(1000);
        MUST(aclrtMemsetAsync(during, 1000, 1, 1000, stream));
        MUST(aclrtFree(before));
        pthread_create(&thread, NULL, elsewhere, NULL);
        pthread_join(thread, NULL);
        MUST(aclmdlRICaptureEnd(stream, &graph));
        MUST(aclmdlRIExecuteAsync(graph, stream));
        MUST(aclrtSynchronizeStream(stream));
        MUST(aclmdlRIDestroy(graph));
        MUST(aclrtFree(during));
        before = device(1000);
        if (aclGetRecentErrMsg() || aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) != ACL_SUCCESS) {
            return 1;
        }
    }
    MUST(aclrtFree(before));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
