/* torch_npu, MindSpore, ATB and user code in one process, and a plug-in with its own table (first argument). */
#include "../rt.h"
#include "mstx.h"
#include <dlfcn.h>

int main(int count, char **arguments) {
    begin();
    char *block = device(1 << 20);

    mstxDomainHandle_t torch = mstxDomainCreateA("ptaCaching"), mind = mstxDomainCreateA("mindsporeMemPool");
    for (int i = 0; i < 4; i++) careless_alloc(torch, block + 4096 * i, 4000, 1 << 16);
    for (int i = 0; i < 3; i++) free_by_pointer(torch, block + 4096 * i);
    careless_alloc(mind, block + 65536, 100, 1 << 17);
    free_by_pointer(mind, block + 65536);
    careless_alloc(mstxDomainCreateA("ptaCaching"), block + 4096, 10, 1 << 15);

    /* ATB gives up without a heap, and reads the handles whether they were written or not. */
    mstxDomainHandle_t atb = mstxDomainCreateA("atb");
    mstxMemHeapHandle_t heap = careful_heap(atb, block + (1 << 18), 1 << 18);
    mstxMemVirtualRangeDesc_t ranges[3];
    mstxMemRegionHandle_t handles[3];
    memset(handles, 0x6b, sizeof handles);
    for (int i = 0; i < 3; i++) ranges[i] = (mstxMemVirtualRangeDesc_t){0, block + (1 << 18) + 1024 * i, 1000};
    if (heap) {
        careful_alloc(atb, heap, 3, ranges, handles);
        mstxMemPermissionsAssignRegionsDesc_t permission = {3, {MSTX_MEM_REGION_REF_TYPE_HANDLE, {.handle = handles[0]}}};
        mstxMemPermissionsAssignBatch_t permissions = {1, &permission};
        mstxMemPermissionsAssign(atb, &permissions);
        free_by_handle(atb, 2, handles);
    }

    /* User code in the global domain; no heap, no place for handles; nothing at all. */
    mstxMemHeapHandle_t own = careful_heap(NULL, block + (1 << 19), 1 << 12);
    ranges[0] = (mstxMemVirtualRangeDesc_t){0, block + (1 << 19), 128};
    careful_alloc(NULL, own, 1, ranges, NULL);
    free_by_pointer(NULL, block + (1 << 19));
    mstxMemHeapUnregister(NULL, own);
    mstxMemHeapRegister(NULL, NULL);
    mstxMemRegionsRegister(NULL, NULL);
    mstxMemRegionsUnregister(NULL, NULL);
    mstxMemPermissionsAssign(NULL, NULL);

    mstxRangeId range = mstxRangeStartA("iteration", NULL);
    mstxMarkA("halfway", NULL);
    mstxDomainMarkA(atb, "in atb", NULL);
    mstxDomainRangeEnd(atb, mstxDomainRangeStartA(atb, "kernel", NULL));
    mstxRangeEnd(range);
    uint64_t tool = 4711;
    mstxGetToolId(&tool);
    mstxDomainDestroy(mind);

    if (count > 1) {
        void *plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
        void (*work)(char *) = plugin ? (void (*)(char *))dlsym(plugin, "work") : NULL;
        if (work == NULL) return 3;
        work(block);
    }
    printf("tool %d\n", (int)tool);
    MUST(aclrtFree(block));
    end();
    return 0;
}
