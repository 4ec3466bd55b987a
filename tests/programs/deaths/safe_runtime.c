/* A runtime that signal handlers may call: addresses from a counter, and nothing that locks. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

int aclInit(const char *path) {
    return path != NULL;
}
int aclFinalize(void) {
    return 0;
}
int aclrtSetDevice(int32_t device) {
    return device;
}
int aclrtResetDevice(int32_t device) {
    return device;
}
int aclrtGetDevice(int32_t *device) {
    *device = 0;
    return 0;
}
int aclrtMalloc(void **block, size_t size, int policy) {
    static _Atomic uint64_t next = 0x124000000000;
    *block = (void *)atomic_fetch_add(&next, (size + 511) / 512 * 512);
    return policy < 0;
}
int aclrtFree(void *block) {
    return block == NULL;
}
