//@ env: ACLSIM_STREAM_DELAY_US=500
// The default stream by its handle, which no call has made.
#include "order.h"

int main(void) {
    begin();
    aclrtStream other = stream(), handle = NULL;
    MUST(aclrtCtxGetCurrentDefaultStream(&handle));
    char *one = device(N), *two = device(N);
    MUST(aclrtMemsetAsync(one, N, 1, N, NULL));
    MUST(aclrtSynchronizeStream(handle));
    MUST(aclrtFree(one));
    MUST(aclrtMemsetAsync(two, N, 1, N, other));
    aclrtEvent event = recorded(other);
    MUST(aclrtStreamWaitEvent(handle, event));
    MUST(aclrtMemsetAsync(two, N, 2, N, NULL));
    MUST(aclrtRecordEvent(event, handle));
    MUST(aclrtSynchronizeEvent(event));
    MUST(aclrtFree(two));
    MUST(aclrtDestroyEvent(event));
    MUST(aclrtDestroyStream(other));
    end();
    return 0;
}
