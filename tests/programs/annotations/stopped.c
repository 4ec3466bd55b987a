// Recording is stopped and started. What happens in between gives no finding, neither then nor later; what happens afterwards does.
#include "../rt.h"
#include "aclsan.h"

static void *async_copy(char *to, char *from, size_t size) {
    MUST(aclrtMemcpyAsync(to, size, from, size, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
    return from;
}

int main(void) {
    begin();
    char *known = device(1024), *released = device(2048), *kept = device(4096), *host = pinned(1024);
    aclDataBuffer *described = aclCreateDataBuffer(kept, 4096), *gone = aclCreateDataBuffer(kept, 4096);
    MUST(aclDestroyDataBuffer(gone));
    MUST(aclrtFree(released));
    async_copy(known, host, 1024);
    const int is_watched = aclsan_interface() > 0;
    if (aclsan_stop() != is_watched || aclsan_stop() != 0) return 8;

    // At the address of one that was released, as likely as not; and of one whose release is recorded.
    char *unseen = device(2048);
    MUST(aclrtSynchronizeStream(NULL));
    MUST(aclrtFree(known));
    char *again = device(1024), *leaked_unseen = device(55);
    (void)leaked_unseen;
    MUST(aclDestroyDataBuffer(described));
    aclDataBuffer *buffers[2] = {aclCreateDataBuffer(again, 1024), aclCreateDataBuffer(unseen, 2048)};
    char *second = pinned(1024);
    async_copy(again, second, 1024);
    MUST(aclrtFree(device(2048)));

    if (aclsan_start() != is_watched || aclsan_start() != 0) return 8;
    MUST(aclrtMemcpy(unseen, 2048, host, 1024, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(again, 1024, host, 1024, ACL_MEMCPY_HOST_TO_DEVICE));
    for (int i = 0; i < 2; i++) MUST(aclDestroyDataBuffer(buffers[i]));
    MUST(aclrtSynchronizeStream(NULL));
    MUST(aclrtFreeHost(second));
    MUST(aclrtFreeHost(host));
    MUST(aclrtFree(unseen));
    MUST(aclrtFree(again));
    MUST(aclrtFree(kept));

    char *twice = device(100);
    MUST(aclrtFree(twice));
    aclrtFree(twice);
    device(77);
    end();
    return 0;
}
