//@ env: ACLSIM_SOC=Ascend310B4-RC
// Where host and device are one, host memory is the device's, and is held to the rule like it.
#include "pool.h"

int main(void) {
    begin();
    char *host = pinned(4096);
    aclsan_pool pool = poolOver("host", host, 4096);
    aclsan_pool_alloc(pool, host, 320);
    aclsan_pool_alloc(pool, host + 330, 8);
    MUST(aclrtFreeHost(host));
    end();
    return 0;
}
