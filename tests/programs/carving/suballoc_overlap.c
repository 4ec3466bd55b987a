// Segments that share bytes: two of a pool, two regions of a framework's heap, and the two outputs of one launch.
#include "../annotations/mstx.h"
#include "../models/model.h"
#include "pool.h"

int main(void) {
    begin();
    char *block = device(8192);
    aclsan_pool pool = poolOver("mixed up", block, 8192);
    aclsan_pool_alloc(pool, block, 320);
    aclsan_pool_alloc(pool, block + 256, 128);
    mstxDomainHandle_t domain = mstxDomainCreateA("framework");
    mstxMemHeapHandle_t heap = careful_heap(domain, block, 8192);
    mstxMemVirtualRangeDesc_t ranges[] = {{0, block + 1024, 512}, {0, block + 1280, 512}};
    mstxMemRegionHandle_t handles[2];
    careful_alloc(domain, heap, 2, ranges, handles);
    uint32_t id;
    MUST(aclmdlLoadFromMem(model, sizeof model - 1, &id));
    aclmdlDataset *input = dataset(block + 4096, 64), *output = dataset(block + 4096 + 32, 64);
    MUST(aclmdlExecute(id, input, output));
    forget(input);
    forget(output);
    MUST(aclmdlUnload(id));
    MUST(aclrtFree(block));
    end();
    return 0;
}
