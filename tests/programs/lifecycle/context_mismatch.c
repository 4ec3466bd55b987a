// Blocks of one device are released under another one; a stream is used and destroyed under another context.
#include "../rt.h"

int main(void) {
    aclrtStream stream;
    aclrtEvent event;
    aclrtContext own;
    begin();
    char *rows = device(4096), *more = device(4096), *picture = dvpp(4096), *host = pinned(4096);
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtCreateEvent(&event));
    MUST(aclrtSetDevice(1));
    MUST(aclrtFree(rows));
    MUST(aclrtFreeWithDevSync(more));
    MUST(acldvppFree(picture));
    printf("%d\n", aclrtRecordEvent(event, stream));
    printf("%d\n", aclrtMemsetAsync(host, 64, 0, 64, stream));
    printf("%d\n", aclrtDestroyStream(stream));
    // The same device, another context.
    MUST(aclrtCreateContext(&own, 0));
    printf("%d\n", aclrtMemsetAsync(host, 64, 0, 64, stream));
    MUST(aclrtDestroyContext(own));
    MUST(aclrtSetDevice(0));
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtDestroyEvent(event));
    MUST(aclrtFreeHost(host));
    MUST(aclrtResetDevice(1));
    MUST(aclrtResetDevice(0));
    MUST(aclrtResetDevice(0));
    MUST(aclFinalize());
    return 0;
}
