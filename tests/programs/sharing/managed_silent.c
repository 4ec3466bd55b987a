// Managed memory is the host's and the devices': copies of every kind, results written there, a reset in between, aclrtFree.
#include "shared.h"

int main(void) {
    void *block = NULL;
    aclrtMemManagedLocation here = {ACL_MEM_LOCATIONTYPE_DEVICE, 0};
    begin();
    MUST(aclrtMemAllocManaged(&block, 3 << 20, ACL_RT_MEM_ATTACH_GLOBAL));
    char *bytes = block, *rows = device(4096);
    memset(bytes, 1, 3 << 20);
    MUST(aclrtMemManagedAdvise(bytes, 4 << 20, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, here));
    MUST(aclrtMemManagedPrefetchAsync(bytes, 4 << 20, here, 0, NULL));
    for (int kind = ACL_MEMCPY_HOST_TO_DEVICE; kind <= ACL_MEMCPY_DEFAULT; kind++) {
        if (kind != ACL_MEMCPY_DEVICE_TO_HOST) {
            MUST(aclrtMemcpyAsync(rows, 4096, bytes, 4096, kind, NULL));
        }
    }
    MUST(aclrtMemcpyAsync(bytes, 4096, rows, 4096, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
    MUST(aclrtSynchronizeStream(NULL));
    MUST(aclrtMemset(bytes, 3 << 20, 2, 3 << 20));
    // A table of pointers that the runtime fills.
    MUST(aclrtMalloc((void **)bytes, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    MUST(aclrtFree(*(void **)bytes));
    MUST(aclrtFree(rows));
    MUST(aclrtResetDevice(0));
    MUST(aclrtSetDevice(0));
    bytes[0] = 3;
    MUST(aclrtFree(bytes));
    end();
    return 0;
}
