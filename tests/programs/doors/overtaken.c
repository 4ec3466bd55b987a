// Calls what another preload has put itself in front of.
#include "door.h"

int main(void) {
    struct acl acl = {aclInit, aclrtSetDevice, aclrtMalloc, aclrtFree, aclrtResetDevice, aclFinalize};
    puts("one line");
    return use(&acl);
}
