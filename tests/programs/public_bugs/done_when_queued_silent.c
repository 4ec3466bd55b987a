//@ env: ACLSIM_STREAM_DELAY_US=2000
// The same as done_when_queued.c, fixed.
// https://github.com/kvcache-ai/Mooncake/pull/1399 (review): a transfer counts as done when `aclrtMemcpyAsync` has run.
#include "../order/order.h"

int main(void) {
    begin();
    aclrtStream transfers = stream(), decode = stream();
    char *from = device(N), *pages = pinned(N), *to = device(N);
    MUST(aclrtMemset(from, N, 7, N));
    MUST(aclrtMemcpyAsync(pages, N, from, N, ACL_MEMCPY_DEVICE_TO_HOST, transfers));
    MUST(aclrtSynchronizeStream(transfers));
    // "Done": the decoder takes the pages.
    MUST(aclrtMemcpyAsync(to, N, pages, N, ACL_MEMCPY_HOST_TO_DEVICE, decode));
    aclrtSynchronizeDevice();
    MUST(aclrtFreeHost(pages));
    MUST(aclrtFree(from));
    MUST(aclrtFree(to));
    aclrtDestroyStream(transfers);
    aclrtDestroyStream(decode);
    end();
    return 0;
}
