//@ options: quarantine_mb=4
//@ env: ACLSIM_STREAM_DELAY_US=500000
// Two blocks are released while a fill is queued that writes into them afterwards; one is copied from as well. The fills wait longer than the first
// report takes.
#include "../order/order.h"

int main(void) {
    begin();
    aclrtStream work = stream();
    char *read = device(N), *filled = device(N);
    static char host[N];
    MUST(aclrtMemsetAsync(read, N, 1, N, work));
    MUST(aclrtFree(read));
    MUST(aclrtMemcpy(host, N, read, N, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtMemsetAsync(filled, N, 1, N, work));
    MUST(aclrtFree(filled));
    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
