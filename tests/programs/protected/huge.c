// Sizes near the end of all numbers, next to pages that are protected: no call hangs, and each answers as it does alone.
#include <acl/acl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    static const size_t SIZES[] = {SIZE_MAX, SIZE_MAX - 4095, SIZE_MAX / 2 + 1, (size_t)1 << 56};
    void *host, *other, *device, *none = NULL;
    aclrtStream stream;
    alarm(40);
    aclInit(NULL);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtMallocHost(&host, 65536);
    aclrtMallocHost(&other, 65536);
    aclrtMalloc(&device, 65536, ACL_MEM_MALLOC_HUGE_FIRST);
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        size_t size = SIZES[i];
        aclrtMemcpyAsync(other, 65536, device, 65536, ACL_MEMCPY_DEVICE_TO_HOST, stream);
        printf("to the host: %d\n", aclrtMemcpyAsync(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        printf("to the device: %d\n", aclrtMemcpyAsync(device, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        printf("device: %d\n", aclrtMalloc(&none, size, ACL_MEM_MALLOC_HUGE_FIRST));
        printf("host: %d\n", aclrtMallocHost(&none, size));
        printf("waited: %d\n", aclrtSynchronizeStream(stream));
    }
    puts("end");
    return 0;
}
