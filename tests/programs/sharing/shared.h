// Blocks that can be shared, and keys to them.
#ifndef SHARED_H
#define SHARED_H
#include "../rt.h"
#include <sys/mman.h>

#define BYTES ((size_t)2 << 20)

// Starts on its own page, as an export requires.
static inline char *huge(void) {
    void *block = NULL;
    MUST(aclrtMalloc(&block, BYTES, ACL_MEM_MALLOC_HUGE_ONLY));
    return (char *)block;
}

static inline void export_key(void *block, char *key) {
    MUST(aclrtIpcMemGetExportKey(block, BYTES, key, 65, ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
}

static inline char *import_key(const char *key) {
    void *block = NULL;
    MUST(aclrtIpcMemImportByKey(&block, key, ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT));
    return (char *)block;
}

static inline char *pages(size_t size) {
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : (char *)block;
}
#endif
