// Two devices as the samples use them: copies in between under either, a synchronize that changes context by itself, releases in threads
// that have no device or the right one, pinned memory anywhere.
#include "../rt.h"
#include <pthread.h>

static void *release(void *block) {
    MUST(aclrtFree(block));
    return NULL;
}

static void *release_as_its_owner(void *block) {
    MUST(aclrtSetDevice(0));
    MUST(aclrtFree(block));
    return NULL;
}

static void in_thread(void *(*work)(void *), void *block) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, block);
    pthread_join(thread, NULL);
}

static void host_function(void *block) {
    MUST(aclrtFree(block));
}

int main(void) {
    aclrtStream stream;
    aclrtContext first, second;
    begin();
    MUST(aclrtGetCurrentContext(&first));
    char *here = device(4096), *lost = device(4096), *owned = device(4096), *late = device(4096), *host = pinned(4096);
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtMemsetAsync(here, 4096, 1, 4096, stream));
    MUST(aclrtLaunchHostFunc(stream, host_function, late));
    MUST(aclrtSetDevice(1));
    MUST(aclrtGetCurrentContext(&second));
    char *there = device(4096);
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtMemcpy(there, 4096, here, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE));
    MUST(aclrtMemcpy(host, 4096, there, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtFreeHost(host));
    MUST(aclrtFree(there));
    in_thread(release, lost);
    in_thread(release_as_its_owner, owned);
    MUST(aclrtSetCurrentContext(first));
    MUST(aclrtFree(here));
    MUST(aclrtSetCurrentContext(second));
    MUST(aclrtResetDevice(1));
    MUST(aclrtSetCurrentContext(first));
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtResetDevice(0));
    MUST(aclrtResetDevice(0));
    MUST(aclFinalize());
    return 0;
}
