//@ env: ACLSIM_STREAM_DELAY_US=500
// The last reset of several, and one by force: the host's memory is free after either. A context that ends takes its device's work with it,
// for all that is known.
#include "order.h"

static char *filled(void) {
    char *host = pinned(N);
    MUST(aclrtMemsetAsync(host, N, 1, N, NULL));
    return host;
}

int main(void) {
    begin();
    MUST(aclrtSetDevice(0));
    char *host = filled();
    MUST(aclrtResetDevice(0));
    MUST(aclrtResetDevice(0));
    MUST(aclrtSetDevice(0));
    MUST(aclrtFreeHost(host));
    MUST(aclrtSetDevice(0));
    host = filled();
    MUST(aclrtResetDeviceForce(0));
    MUST(aclrtSetDevice(0));
    MUST(aclrtFreeHost(host));

    aclrtContext own = NULL, other = NULL;
    MUST(aclrtGetCurrentContext(&own));
    MUST(aclrtCreateContext(&other, 0));
    MUST(aclrtSetCurrentContext(own));
    aclrtStream on = stream();
    char *block = device(N);
    MUST(aclrtMemsetAsync(block, N, 1, N, on));
    MUST(aclrtDestroyContext(other));
    MUST(aclrtSetCurrentContext(own));
    MUST(aclrtFree(block));
    MUST(aclrtDestroyStream(on));
    end();
    return 0;
}
