// Copies that leave what is mapped, and copies where nothing is mapped any more, not yet, or ever again.
#include "vm.h"

int main(void) {
    begin();
    char *range = reserved(16 * PAGE), *host = malloc(4 * PAGE);
    aclrtDrvMemHandle left = memory(PAGE), right = memory(2 * PAGE);
    map(range + PAGE, PAGE, left);
    map(range + 2 * PAGE, 2 * PAGE, right);
    MUST(aclrtMemset(range + PAGE, 3 * PAGE, 0, 3 * PAGE)); // the whole run
    aclrtMemcpy(range + 4 * PAGE - 64, 128, host, 128, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemcpy(host, 4 * PAGE, range + PAGE, 4 * PAGE, ACL_MEMCPY_DEVICE_TO_HOST);
    aclrtMemcpy(host, 64, range + 8 * PAGE, 64, ACL_MEMCPY_DEVICE_TO_HOST); // never mapped
    unmap(range + PAGE, left);
    aclrtMemset(range + PAGE + 4096, 64, 1, 64); // unmapped
    aclrtMemcpy(host, 64, range + 2 * PAGE - 32, 64, ACL_MEMCPY_DEVICE_TO_HOST); // begins where it was unmapped
    unmap(range + 2 * PAGE, right);
    MUST(aclrtReleaseMemAddress(range));
    aclrtMemcpy(host, 64, range + 2 * PAGE, 64, ACL_MEMCPY_DEVICE_TO_HOST); // released
    free(host);
    end();
    return 0;
}
