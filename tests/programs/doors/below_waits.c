//@ flags: -L{split} -lruntime -Wl,--allow-shlib-undefined
//@ env: ACLSIM_STREAM_DELAY_US=500
// Waits and releases by the layer below AscendCL's: work queued by the layer above is complete after them. With the argument `early` a block is
// released before such a wait.
#include "door.h"
#include "runtime/waits.h"
#include <string.h>

enum { N = 4096 };

static int queued(aclrtStream stream, char **rows, char **host) {
    int failed = aclrtMalloc((void **)rows, N, ACL_MEM_MALLOC_HUGE_FIRST) + aclrtMallocHost((void **)host, N);
    memset(*host, 1, N);
    return failed + aclrtMemcpyAsync(*rows, N, *host, N, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

int main(int argc, char **argv) {
    char *rows = NULL, *host = NULL;
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    void *block = NULL;
    int failed = aclInit(NULL) + aclrtSetDevice(0) + aclrtCreateStream(&stream) + aclrtCreateEvent(&event);
    failed += queued(stream, &rows, &host) + rtStreamSynchronizeWithTimeout(stream, -1) + aclrtFree(rows) + aclrtFreeHost(host);
    failed += queued(stream, &rows, &host) + rtDeviceSynchronizeWithTimeout(-1) + aclrtFree(rows) + aclrtFreeHost(host);
    failed += queued(stream, &rows, &host) + aclrtRecordEvent(event, stream) + rtEventSynchronizeWithTimeout(event, -1);
    failed += aclrtFree(rows) + aclrtFreeHost(host);
    failed += queued(stream, &rows, &host) + rtFreeWithDevSync(rows) + rtFreeHostWithDevSync(host);
    failed += rtMalloc(&block, N, 0x2, 0) + rtFreeWithDevSync(block);
    failed += rtMallocHost(&block, N, 0) + rtFreeHostWithDevSync(block);
    failed += aclrtSynchronizeStream(stream) + aclrtSynchronizeDevice();
    if (argc > 1 && strcmp(argv[1], "early") == 0) {
        failed += queued(stream, &rows, &host) + rtFree(rows);
        rtStreamSynchronizeWithTimeout(stream, -1); // the copy has missed its block
        failed += rtFreeHost(host);
    }
    failed += aclrtDestroyEvent(event) + aclrtDestroyStream(stream) + aclrtResetDevice(0) + aclFinalize();
    printf("%d failed\n", failed);
    return failed != 0;
}
