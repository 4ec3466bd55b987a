/* A runtime over malloc with the fewest functions: nothing that came later, such as
 * aclrtFreeWithDevSync. Like the real one it gives more than it is asked for. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
int aclrtMalloc(void **block, size_t size, int policy) {
    return policy < 0 || (*block = malloc(size + 64)) == NULL;
}
int aclrtFree(void *block) {
    free(block);
    return 0;
}
int aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, int kind) {
    memcpy(to, from, bytes < room ? bytes : room);
    return kind < 0;
}
