// The program is linked against the runtime.
#include "door.h"

int main(void) {
    struct acl acl = {aclInit, aclrtSetDevice, aclrtMalloc, aclrtFree, aclrtResetDevice, aclFinalize};
    return use(&acl);
}
