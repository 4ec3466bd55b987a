//@ env: ACLSIM_SOC=Ascend950
// On a 950 a segment takes up ALIGN_UP(length, 32), with nothing on top.
#include "pool.h"

int main(void) {
    begin();
    char *block = device(4096);
    aclsan_pool pool = poolOver("packed", block, 4096);
    aclsan_pool_alloc(pool, block, 320);
    aclsan_pool_alloc(pool, block + 320, 64);
    MUST(aclrtFree(block));
    end();
    return 0;
}
