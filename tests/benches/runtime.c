/* A libascendcl.so of near-zero cost, so that overhead is visible. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int aclrtSetDevice(int32_t device) {
    return device;
}
int aclrtGetDevice(int32_t *device) {
    return *device = 0;
}
int aclrtGetRunMode(int *mode) {
    *mode = 1;
    return 0;
}
int aclrtSynchronizeStream(void *stream) {
    return stream != NULL;
}
int aclrtProcessReport(int32_t timeout) {
    return timeout;
}
const char *aclrtGetSocName(void) {
    return "Ascend910B1";
}

/* Starts are multiples of 64, as AscendCL's are; malloc's pointer is stored before them. */
int aclrtMalloc(void **block, size_t size, int policy) {
    char *given = malloc(size + 128);
    if (policy < 0 || given == NULL) {
        return 1;
    }
    char *start = given + 64 - (uintptr_t)given % 64;
    memcpy(start - sizeof given, &given, sizeof given);
    *block = start;
    return 0;
}
void *aclCreateTensor(const int64_t *view, uint64_t rank, int type, const int64_t *stride, int64_t offset, int format,
                      const int64_t *storage, uint64_t storage_rank, void *data) {
    static _Thread_local void *tensor[16];
    (void)view, (void)rank, (void)type, (void)stride, (void)offset, (void)format, (void)storage, (void)storage_rank;
    tensor[0] = data;
    return tensor;
}
int aclDestroyTensor(const void *tensor) {
    return tensor == NULL;
}
int aclrtFree(void *block) {
    void *given;
    memcpy(&given, (char *)block - sizeof given, sizeof given);
    free(given);
    return 0;
}
static _Thread_local unsigned long copies;
/* Copies made by the calling thread, including the shim's. */
unsigned long benchCopies(void) {
    return copies;
}
int aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, int kind) {
    copies++;
    memcpy(to, from, bytes < room ? bytes : room);
    return kind < 0;
}
