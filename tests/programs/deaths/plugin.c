/* A library that allocates and releases for its loader, also at load and unload. */
#include <acl/acl.h>
#include <stdlib.h>

static void *own;

void *plugin_allocate(size_t size) {
    void *block = NULL;
    return aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0 ? block : NULL;
}

int plugin_release(void *block) {
    return aclrtFree(block);
}

__attribute__((constructor)) static void loaded(void) {
    own = getenv("PLUGIN_WORKS") != NULL ? plugin_allocate(640) : NULL;
}

__attribute__((destructor)) static void unloaded(void) {
    if (own != NULL) {
        plugin_release(own);
    }
}
