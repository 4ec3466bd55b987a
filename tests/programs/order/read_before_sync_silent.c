//@ env: ACLSIM_STREAM_DELAY_US=500
// Results that are waited for, and reads of memory that nobody writes.
#include "order.h"

int main(void) {
    begin();
    aclrtStream work = stream(), copies = stream();
    char *sum = device(N), *result = pinned(N);
    static char host[N];
    MUST(aclrtMemsetAsync(sum, N / 2, 1, N / 2, work));
    MUST(aclrtMemcpy(host, N / 2, sum + N / 2, N / 2, ACL_MEMCPY_DEVICE_TO_HOST)); // the other half
    aclrtEvent done = recorded(work);
    MUST(aclrtStreamWaitEvent(copies, done));
    MUST(aclrtMemcpyAsync(result, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST, copies));
    MUST(aclrtSynchronizeStream(copies));
    MUST(aclrtMemcpy(host, N, result, N, ACL_MEMCPY_HOST_TO_HOST));
    // Both only read.
    MUST(aclrtMemcpyAsync(result, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST, copies));
    MUST(aclrtMemcpy(host, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST));
    // A notify orders streams, too.
    aclrtNotify notify = NULL;
    MUST(aclrtCreateNotify(&notify, 0));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtMemsetAsync(sum, N, 2, N, work));
    MUST(aclrtRecordNotify(notify, work));
    MUST(aclrtWaitAndResetNotify(notify, copies, 0));
    MUST(aclrtMemcpyAsync(result, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST, copies));
    MUST(aclrtSynchronizeDevice());
    // A wait that is queued before its record.
    MUST(aclrtWaitAndResetNotify(notify, copies, 0));
    MUST(aclrtMemcpyAsync(result, N, sum, N, ACL_MEMCPY_DEVICE_TO_HOST, copies));
    MUST(aclrtMemsetAsync(sum, N, 3, N, work));
    MUST(aclrtRecordNotify(notify, work));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtDestroyNotify(notify));
    MUST(aclrtDestroyEvent(done));
    MUST(aclrtFree(sum));
    MUST(aclrtFreeHost(result));
    MUST(aclrtDestroyStream(work));
    MUST(aclrtDestroyStream(copies));
    end();
    return 0;
}
