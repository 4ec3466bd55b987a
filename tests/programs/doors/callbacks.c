// Callbacks release what the program allocated: in the thread that processes reports, and in the stream's own.
#include "../rt.h"
#include <pthread.h>

static _Atomic int stopping;

static void release(void *block) {
    MUST(aclrtFree(block));
}

static void *process(void *unused) {
    while (!stopping) {
        aclrtProcessReport(100);
    }
    return unused;
}

int main(void) {
    aclrtStream stream;
    pthread_t thread;
    begin();
    MUST(aclrtCreateStream(&stream));
    pthread_create(&thread, NULL, process, NULL);
    MUST(aclrtSubscribeReport((uint64_t)thread, stream));
    for (int i = 0; i < 4; i++) {
        MUST(aclrtLaunchCallback(release, device(4096), i % 2 ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK, stream));
    }
    MUST(aclrtLaunchCallback(release, device(4096), ACL_CALLBACK_BLOCK, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtUnSubscribeReport((uint64_t)thread, stream));
    stopping = 1;
    pthread_join(thread, NULL);
    for (int i = 0; i < 3; i++) {
        MUST(aclrtLaunchHostFunc(stream, release, device(4096)));
    }
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtDestroyStream(stream));
    end();
    printf("%zu blocks left\n", aclsimLiveBlocks(0));
    return 0;
}
