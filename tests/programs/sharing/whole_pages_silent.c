// Blocks of whole pages, one after the other: each starts on a page, so it can be registered, or exported, under guards too.
#include "shared.h"

static char *device_pages(size_t size) {
    void *block = NULL;
    MUST(aclrtMallocWithCfg(&block, size, ACL_MEM_TYPE_LOW_BAND_WIDTH, NULL));
    return (char *)block;
}

int main(void) {
    const size_t sizes[] = {4096, 32768, 4000, 32768, 8192};
    char *hosts[5], *blocks[3], keys[3][65];
    begin();
    for (int i = 0; i < 5; i++) {
        hosts[i] = pinned(sizes[i]);
    }
    for (int i = 0; i < 5; i++) {
        MUST(aclrtHostRegisterV2(hosts[i], sizes[i], ACL_HOST_REG_MAPPED));
    }
    for (int i = 0; i < 3; i++) {
        blocks[i] = device_pages(65536);
    }
    for (int i = 0; i < 3; i++) {
        const uint64_t flags = ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION;
        MUST(aclrtIpcMemGetExportKey(blocks[i], 65536, keys[i], 65, flags));
    }
    for (int i = 0; i < 3; i++) {
        MUST(aclrtIpcMemClose(keys[i]));
        MUST(aclrtFree(blocks[i]));
    }
    for (int i = 0; i < 5; i++) {
        MUST(aclrtHostUnregister(hosts[i]));
        MUST(aclrtFreeHost(hosts[i]));
    }
    end();
    return 0;
}
