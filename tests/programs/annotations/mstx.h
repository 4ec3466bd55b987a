/* Annotations in the shape of those who make them. */
#ifndef PROGRAMS_MSTX_H
#define PROGRAMS_MSTX_H
#include "mstx/ms_tools_ext.h"
#include <string.h>


/* torch_npu and MindSpore set these fields only, and call `size` what the whole pool holds. */
static inline void careless_alloc(mstxDomainHandle_t domain, char *block, uint64_t size, uint64_t total) {
    mstxMemVirtualRangeDesc_t range = {0, block, size}, held = {0, block, total};
    mstxMemHeapDesc_t heap;
    memset(&heap, 0x6b, sizeof heap);
    heap.typeSpecificDesc = &held;
    mstxMemHeapRegister(domain, &heap);
    mstxMemRegionsRegisterBatch_t batch;
    memset(&batch, 0x6b, sizeof batch);
    batch.regionCount = 1;
    batch.regionDescArray = &range;
    mstxMemRegionsRegister(domain, &batch);
}

static inline void free_by_pointer(mstxDomainHandle_t domain, const char *block) {
    mstxMemRegionRef_t region;
    region.refType = MSTX_MEM_REGION_REF_TYPE_POINTER;
    region.pointer = block;
    mstxMemRegionsUnregisterBatch_t batch = {1, &region};
    mstxMemRegionsUnregister(domain, &batch);
}

/* ATB and user code set everything. */
static inline mstxMemHeapHandle_t careful_heap(mstxDomainHandle_t domain, char *block, uint64_t size) {
    mstxMemVirtualRangeDesc_t range = {0, block, size};
    mstxMemHeapDesc_t heap = {MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, &range};
    return mstxMemHeapRegister(domain, &heap);
}

static inline void careful_alloc(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap, size_t count,
                                 const mstxMemVirtualRangeDesc_t *ranges, mstxMemRegionHandle_t *handles) {
    mstxMemRegionsRegisterBatch_t batch = {heap, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, count, ranges, handles};
    mstxMemRegionsRegister(domain, &batch);
}

static inline void free_by_handle(mstxDomainHandle_t domain, size_t count, mstxMemRegionHandle_t *handles) {
    mstxMemRegionRef_t regions[8];
    for (size_t i = 0; i < count; i++) {
        regions[i].refType = MSTX_MEM_REGION_REF_TYPE_HANDLE;
        regions[i].handle = handles[i];
    }
    mstxMemRegionsUnregisterBatch_t batch = {count, regions};
    mstxMemRegionsUnregister(domain, &batch);
}
#endif
