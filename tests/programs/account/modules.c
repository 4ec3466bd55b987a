// Allocates as CANN's libraries do, for modules of CANN: HCCL, the graph engine, and the program itself.
#include "../rt.h"

#define MIB ((size_t)1 << 20)

static void *allocate(size_t size, uint16_t module) {
    void *block = NULL;
    aclrtMallocAttribute attribute = {.attr = ACL_RT_MEM_ATTR_MODULE_ID, .value.moduleId = module};
    aclrtMallocConfig config = {.attrs = &attribute, .numAttrs = 1};
    MUST(aclrtMallocWithCfg(&block, size, ACL_MEM_MALLOC_HUGE_FIRST, &config));
    return block;
}

int main(void) {
    begin();
    void *buffers[] = {allocate(200 * MIB, 3), allocate(200 * MIB, 3), allocate(24 * MIB, 45), allocate(8 * MIB, 33)};
    void *plain = NULL;
    MUST(aclrtMallocWithCfg(&plain, 4 * MIB, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
    for (int i = 0; i < 4; i++) MUST(aclrtFree(buffers[i]));
    MUST(aclrtFree(plain));
    end();
    return 0;
}
