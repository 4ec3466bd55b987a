// Calls that few programs make, with answers of both kinds: operations on the cache, kernels of threads, links, snapshots, stops. None of them is work
// that anybody must wait for.
#include <unistd.h>

#include "../order/order.h"

static void on_fault(aclrtExceptionInfo *info) { (void)info; }

int main(void) {
    begin();
    aclrtStream first = stream(), second = stream();
    char *block = device(N), *desc = device(64);
    static char list[1 << 12], memory[1 << 12];
    aclrtBarrierTaskInfo barriers = {1, {{ACL_RT_CMO_TYPE_PREFETCH, 1}}};
    aclrtTaskUpdateInfo update = {ACL_RT_UPDATE_RANDOM_TASK, {.randomTaskAttr = {block, 64, {0}}}};
    aclrtSnapShotBackupArgs backup = {0};
    aclrtSnapShotRestoreArgs restore = {0};
    void *words[1] = {&block};
    dim3 one = {1, 1, 1};
    int answers[] = {
        aclrtCmoAsyncWithBarrier(block, N, ACL_RT_CMO_TYPE_PREFETCH, 1, first),
        aclrtCmoWaitBarrier(&barriers, second, 0),
        aclrtCmoWaitBarrier(NULL, second, 0),
        aclrtCmoSetDesc(desc, block, N),
        aclrtCmoAsyncWithDesc(desc, ACL_RT_CMO_TYPE_WRITEBACK, second, NULL),
        aclrtTaskUpdateAsync(first, 1, &update, second),
        aclrtTaskUpdateAsync(first, 1, NULL, second),
        aclrtMemP2PMap(block, N, 1, 0),
        aclrtMemMapSetLink(NULL, ACL_RT_MEM_ACCESS_LINK_HCCS),
        aclrtLaunchSIMTKernelWithArgsArray(NULL, one, one, 0, first, NULL, words),
        aclrtLaunchSIMTKernelWithHostArgs(NULL, one, one, 0, first, NULL, words, sizeof words, NULL, 0),
        aclrtKernelArgsInitByUserMem(NULL, list, memory, sizeof memory),
        aclrtExceptionInfoCallbackRegister(on_fault),
        aclrtExceptionInfoCallbackUnregister(on_fault),
        aclrtSnapShotProcessLock(getpid(), NULL),
        aclrtSnapShotProcessBackup(getpid(), &backup),
        aclrtSnapShotProcessRestore(getpid(), &restore),
        aclrtSnapShotProcessUnlock(getpid(), NULL),
        aclrtStreamStop(second),
        aclrtActiveStream(NULL, first),
        aclmdlRIAbort(NULL),
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) printf("%d\n", answers[i]);
    MUST(aclrtMemsetAsync(block, N, 1, N, first));
    MUST(aclrtSynchronizeStream(first));
    MUST(aclrtFree(desc));
    MUST(aclrtFree(block));
    MUST(aclrtDestroyStream(second));
    MUST(aclrtDestroyStream(first));
    end();
    return 0;
}
