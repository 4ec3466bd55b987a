//@ env: ACLSIM_SOC=Ascend310B4-RC
// Where host and device share their memory (run mode ACL_DEVICE), directions mean nothing and pinned memory is ordinary memory.
#include "../rt.h"

int main(void) {
    begin();
    aclrtRunMode mode;
    MUST(aclrtGetRunMode(&mode));
    printf("%s\n", mode == ACL_DEVICE ? "shared" : "apart");
    char *block = device(4096), *staging = pinned(4096);
    MUST(aclrtMemcpy(block, 4096, staging, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE));
    MUST(aclrtMemset(staging, 4096, 0, 4096));
    MUST(aclrtFree(block));
    MUST(aclrtFreeHost(staging));
    end();
    return 0;
}
