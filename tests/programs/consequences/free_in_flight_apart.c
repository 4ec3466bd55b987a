//@ options: quarantine_mb=4
//@ env: ACLSIM_STREAM_DELAY_US=2000
// A block is released in flight, and another one that nobody used is copied from after its release. A kernel writes
// further into the first one than the work that was in flight.
#include "../order/order.h"

int main(void) {
    begin();
    aclrtStream work = stream();
    char *filled = device(N), *idle = device(N);
    static char host[N];
    MUST(aclrtMemsetAsync(filled, 16, 1, 16, work));
    MUST(aclrtFree(filled));
    MUST(aclsimLaunchWrite(filled + 64, 8, 0x41, work));
    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtFree(idle));
    MUST(aclrtMemcpy(host, N, idle, N, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
