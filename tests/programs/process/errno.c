//@ flags: -Wl,--as-needed
// AscendCL calls leave the program's errno unchanged: the first ones, and one that is reported.
#include "acl/acl.h"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static void tell(const char *call) {
    printf("%s: %d\n", call, errno);
    errno = EDOM;
}

int main(void) {
    void *block = NULL;
    errno = EDOM;
    aclInit(NULL);
    tell("aclInit");
    aclrtSetDevice(0);
    tell("aclrtSetDevice");
    aclrtMalloc(&block, 1000, ACL_MEM_MALLOC_HUGE_FIRST);
    tell("aclrtMalloc");
    aclrtFree(block);
    tell("aclrtFree");
    aclrtFree(block);
    tell("aclrtFree, again");
    aclrtResetDevice(0);
    tell("aclrtResetDevice");
    fflush(stdout);
    _exit(0);
}
