//@ env: ACLSIM_MEMORY_MB=256
// Runs out of memory: 192 MiB of weights are there when 128 more are asked for.
#include "../rt.h"
#include "aclsan.h"

#define MIB ((size_t)1 << 20)

int main(void) {
    begin();
    aclsan_category_push("weights");
    void *weights = device(192 * MIB), *batch = NULL;
    aclsan_category_pop();
    if (aclrtMalloc(&batch, 128 * MIB, ACL_MEM_MALLOC_HUGE_FIRST) != 207001) return 1;
    MUST(aclrtFree(weights));
    end();
    return 0;
}
