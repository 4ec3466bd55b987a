//@ options: fill=on
// Bytes written by anyone, copied padding, and copies that bring nothing to the host.
#include "../rt.h"

int main(void) {
    static char host[8192];
    begin();
    char *block = device(4096), *other = device(4096), *staging = pinned(4096), *shared = NULL;
    // Read by a kernel, by a copy on the device: nothing came to the host.
    MUST(aclrtMemcpy(other, 4096, block, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE));
    MUST(aclsimLaunchWrite(block, 4096, 7, NULL));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtMemcpy(host, 4096, block, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
    // 3585 bytes and 511 of padding; a tail of 15.
    char *padded = device(4096), *set = device(100), *sent = device(4096);
    MUST(aclsimLaunchWrite(padded, 3585, 7, NULL));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtMemcpy(host, 4096, padded, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtMemcpy(host, 15, padded + 4081, 15, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtMemset(set, 100, 0, 100));
    MUST(aclrtMemcpy(host, 100, set, 100, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtMemcpy(sent, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(host, 4096, sent, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
    // Memory that is not filled, and a pinned block that the host may have written.
    MUST(aclrtMemAllocManaged((void **)&shared, 4096, ACL_RT_MEM_ATTACH_GLOBAL));
    MUST(aclrtMemcpy(host, 4096, shared, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtMemcpy(other, 4096, staging, 4096, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtFree(block));
    // The next block at that address is filled again, and this one is written.
    block = device(4096);
    MUST(aclrtMemset(block, 4096, 1, 4096));
    MUST(aclrtMemcpy(host, 4096, block, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtFree(block));
    MUST(aclrtFree(other));
    MUST(aclrtFree(padded));
    MUST(aclrtFree(set));
    MUST(aclrtFree(sent));
    MUST(aclrtFree(shared));
    MUST(aclrtFreeHost(staging));
    end();
    return 0;
}
