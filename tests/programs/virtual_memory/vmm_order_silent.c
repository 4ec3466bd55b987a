// Orders that look wrong and are right.
#include <dlfcn.h>

#include "vm.h"

#pragma weak aclrtMemMapNoAccess // 9.1.0 has none
static int is_exported(const char *name) { return dlsym(dlopen("libascendcl.so", RTLD_NOW | RTLD_NOLOAD), name) != NULL; }

static void either_teardown(void) {
    for (int release_first = 0; release_first < 2; release_first++) {
        char *range = reserved(PAGE);
        aclrtDrvMemHandle handle = memory(PAGE);
        map(range, PAGE, handle);
        MUST(aclrtUnmapMem(range));
        if (release_first)
            MUST(aclrtReleaseMemAddress(range));
        MUST(aclrtFreePhysical(handle));
        if (!release_first)
            MUST(aclrtReleaseMemAddress(range));
    }
}

// The memory goes with the mapping.
static void freed_while_mapped(void) {
    char *range = reserved(PAGE), host[64];
    aclrtDrvMemHandle handle = memory(PAGE);
    map(range, PAGE, handle);
    MUST(aclrtFreePhysical(handle));
    MUST(aclrtMemset(range, PAGE, 1, PAGE));
    MUST(aclrtMemcpy(host, 64, range, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtUnmapMem(range));
    MUST(aclrtReleaseMemAddress(range));
}

// One free for each reference.
static void retained(void) {
    char *range = reserved(PAGE);
    aclrtDrvMemHandle handle = memory(PAGE), same = NULL;
    map(range, PAGE, handle);
    MUST(aclrtMemRetainAllocationHandle(range, &same));
    MUST(aclrtMemRetainAllocationHandle(range, &same));
    MUST(aclrtFreePhysical(same));
    MUST(aclrtUnmapMem(range));
    MUST(aclrtFreePhysical(same));
    MUST(aclrtFreePhysical(handle));
    MUST(aclrtReleaseMemAddress(range));
}

// The same memory in two places, and in the same place again and again.
static void mapped_twice(void) {
    char *range = reserved(8 * PAGE);
    aclrtDrvMemHandle left = memory(PAGE), right = memory(2 * PAGE);
    for (int step = 0; step < 3; step++) {
        map(range, PAGE, left);
        map(range + PAGE, 2 * PAGE, right);
        MUST(aclrtMemMapSelectedLink(range + 4 * PAGE, 3 * PAGE, range, ACL_RT_MEM_LINK_IDX_0));
        MUST(aclrtMemset(range + 4 * PAGE, 3 * PAGE, step, 3 * PAGE));
        MUST(aclrtUnmapMem(range + PAGE));
        MUST(aclrtUnmapMem(range + 5 * PAGE));
        MUST(aclrtUnmapMem(range));
        MUST(aclrtUnmapMem(range + 4 * PAGE));
    }
    MUST(aclrtFreePhysical(left));
    MUST(aclrtFreePhysical(right));
    MUST(aclrtReleaseMemAddress(range));
}

static void access_to_a_whole_mapping(void) {
    char *range = reserved(4 * PAGE);
    aclrtDrvMemHandle handle = memory(PAGE);
    aclrtMemAccessDesc desc = {ACL_RT_MEM_ACCESS_FLAGS_READWRITE, {0, ACL_MEM_LOCATION_TYPE_DEVICE}, {0}};
    uint64_t flags = 0;
    if (is_exported("aclrtMemMapNoAccess")) {
        MUST(aclrtMemMapNoAccess(range + PAGE, PAGE, 0, handle, 0));
    } else {
        MUST(aclrtMapMem(range + PAGE, PAGE, 0, handle, 0));
    }
    MUST(aclrtMemSetAccess(range + PAGE, PAGE, &desc, 1));
    MUST(aclrtMemGetAccess(range + PAGE, &desc.location, &flags));
    MUST(aclrtMemset(range + PAGE, PAGE, 1, PAGE));
    unmap(range + PAGE, handle);
    MUST(aclrtReleaseMemAddress(range));
}

// The host's own memory in a range: any direction, any pointer.
static void host_memory(void) {
    char *range = reserved(PAGE);
    aclrtPhysicalMemProp prop = {ACL_MEM_HANDLE_TYPE_NONE, ACL_MEM_ALLOCATION_TYPE_PINNED, ACL_DDR_MEM_HUGE,
                                 {0, ACL_MEM_LOCATION_TYPE_HOST}, 0};
    aclrtDrvMemHandle handle = NULL;
    MUST(aclrtMallocPhysical(&handle, PAGE, &prop, 0));
    map(range, PAGE, handle);
    char *block = device(4096);
    memset(range, 1, 4096);
    MUST(aclrtMemset(range, PAGE, 2, 4096));
    MUST(aclrtMemcpy(block, 4096, range, 4096, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(range, 4096, block, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtFree(block));
    unmap(range, handle);
    MUST(aclrtReleaseMemAddress(range));
}

int main(void) {
    begin();
    either_teardown();
    freed_while_mapped();
    retained();
    mapped_twice();
    access_to_a_whole_mapping();
    host_memory();
    end();
    return 0;
}
