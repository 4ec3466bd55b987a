/* A runtime over malloc with the fewest functions: nothing that came later, such as aclrtFreeWithDevSync. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

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
    return policy < 0 || (*block = malloc(size)) == NULL;
}
int aclrtFree(void *block) {
    free(block);
    return 0;
}
