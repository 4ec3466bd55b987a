// What no document says goes with the device, or stays: some runtimes refuse it afterwards, and what they refuse is no leak.
#include "../pools/pool.h"
#include <sys/mman.h>

#define PAGE ((size_t)2 << 20)

int main(void) {
    begin();
    aclrtStream stream = stream_of_ours();
    aclrtMemPool pool = pool_of_ours();
    MUST(aclrtMemPoolFreeAsync(pooled(64, pool, stream), stream));
    MUST(aclrtSynchronizeStream(stream));
    aclrtEvent event;
    MUST(aclrtCreateEvent(&event));
    aclrtMbuf buffer, second;
    MUST(aclrtAllocBuf(&buffer, 64));
    MUST(aclrtCopyBufRef(buffer, &second));
    void *range = NULL, *seen = NULL;
    aclrtDrvMemHandle memory = NULL;
    aclrtPhysicalMemProp prop = {ACL_MEM_HANDLE_TYPE_NONE, ACL_MEM_ALLOCATION_TYPE_PINNED, ACL_HBM_MEM_HUGE,
                                 {0, ACL_MEM_LOCATION_TYPE_DEVICE}, 0};
    MUST(aclrtReserveMemAddress(&range, PAGE, 0, NULL, 0));
    MUST(aclrtMallocPhysical(&memory, PAGE, &prop, 0));
    MUST(aclrtMapMem(range, PAGE, 0, memory, 0));
    MUST(aclrtFreePhysical(memory)); // the mapping keeps it
    void *host = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(aclrtHostRegister(host, PAGE, ACL_HOST_REGISTER_MAPPED, &seen));

    MUST(aclrtResetDevice(0));
    MUST(aclrtSetDevice(0));
    aclrtDestroyEvent(event);
    aclrtDestroyStream(stream);
    aclrtMemPoolDestroy(pool);
    aclrtFreeBuf(buffer);
    aclrtFreeBuf(second);
    aclrtUnmapMem(range);
    aclrtReleaseMemAddress(range);
    aclrtHostUnregister(host);
    munmap(host, PAGE);

    // Their numbers come again.
    stream = stream_of_ours();
    pool = pool_of_ours();
    MUST(aclrtMemPoolFreeAsync(pooled(64, pool, stream), stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtMemPoolDestroy(pool));
    MUST(aclrtDestroyStream(stream));
    char *block = device(PAGE);
    MUST(aclrtMemset(block, PAGE, 0, PAGE));
    MUST(aclrtFree(block));
    end();
    return 0;
}
