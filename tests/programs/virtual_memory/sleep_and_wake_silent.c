// The shape of vllm-ascend's camem allocator: to sleep, the bytes go to the host and the memory is unmapped and freed; to wake, new memory is
// mapped at the same addresses and the bytes come back. Its pool asks the runtime what is mapped where.
#include "vm.h"

#define BLOCKS 4

int main(void) {
    begin();
    char *blocks[BLOCKS], *backup[BLOCKS];
    aclrtDrvMemHandle handles[BLOCKS];
    aclrtPhysicalMemProp prop = {ACL_MEM_HANDLE_TYPE_NONE, ACL_MEM_ALLOCATION_TYPE_PINNED, ACL_HBM_MEM_HUGE,
                                 {0, ACL_MEM_LOCATION_TYPE_DEVICE}, 0};
    size_t granularity = 0;
    MUST(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity));
    size_t size = (5 * PAGE / 2 + granularity - 1) / granularity * granularity;
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = reserved(size);
        handles[i] = memory(size);
        map(blocks[i], size, handles[i]);
        backup[i] = pinned(size);
        MUST(aclrtMemset(blocks[i], size, i, size));
    }
    for (int night = 0; night < 2; night++) {
        for (int i = 0; i < BLOCKS; i++) {
            MUST(aclrtMemcpy(backup[i], size, blocks[i], size, ACL_MEMCPY_DEVICE_TO_HOST));
            unmap(blocks[i], handles[i]);
        }
        for (int i = 0; i < BLOCKS; i++) {
            handles[i] = memory(size);
            map(blocks[i], size, handles[i]);
            MUST(aclrtMemcpy(blocks[i], size, backup[i], size, ACL_MEMCPY_HOST_TO_DEVICE));
            void *base = NULL;
            size_t whole = 0;
            aclrtPtrAttributes attributes;
            MUST(aclrtMemGetAddressRange(blocks[i] + 4096, &base, &whole));
            MUST(aclrtPointerGetAttributes(blocks[i] + 4096, &attributes));
            if (base != blocks[i] || whole != size || attributes.location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
                return 7;
        }
    }
    for (int i = 0; i < BLOCKS; i++) {
        unmap(blocks[i], handles[i]);
        MUST(aclrtReleaseMemAddress(blocks[i]));
        MUST(aclrtFreeHost(backup[i]));
    }
    end();
    return 0;
}
