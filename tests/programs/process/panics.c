// Blocks are copied, released and allocated again, and every answer and byte is checked: none of it may depend on what aclsan does.
#include "process.h"

enum { SIZE = 4096, USED = 512 };

static void copy_through(char *device_block, char *host, aclrtStream stream) {
    MUST(aclrtMemcpyAsync(device_block, SIZE, host, USED, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    MUST(aclrtSynchronizeStream(stream));
    memset(host, 0, USED);
    MUST(aclrtMemcpy(host, USED, device_block, USED, ACL_MEMCPY_DEVICE_TO_HOST));
}

int main(void) {
    aclrtStream stream;
    int wrong = 0;
    begin();
    MUST(aclrtCreateStream(&stream));
    char *host = pinned(USED), *kept = device(SIZE), *released = device(SIZE);
    memset(host, 7, USED);
    copy_through(released, host, stream);
    MUST(aclrtFree(released)); /* Held in quarantine, or by the runtime. */
    char *blocks[3];
    for (int i = 0; i < 3; i++) {
        blocks[i] = device(SIZE);
        copy_through(blocks[i], host, stream);
    }
    copy_through(kept, host, stream);
    for (int i = 0; i < USED; i++) {
        wrong += host[i] != 7;
    }
    for (int i = 0; i < 3; i++) {
        MUST(aclrtFree(blocks[i]));
    }
    MUST(aclrtFree(kept));
    MUST(aclrtFreeHost(host));
    MUST(aclrtDestroyStream(stream));
    end();
    printf("%d bytes are wrong\n", wrong);
    return 0;
}
