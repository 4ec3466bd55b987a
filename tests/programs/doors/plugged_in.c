/* A plugin: calls what it is linked with, and with ASKS what it finds everywhere, which for a library is its own scope, too. */
#include "door.h"

int plugged(void) {
#ifdef ASKS
#define EVERYWHERE(name) dlsym(RTLD_DEFAULT, name)
    struct acl acl = ACL_FROM(EVERYWHERE);
#else
    struct acl acl = {aclInit, aclrtSetDevice, aclrtMalloc, aclrtFree, aclrtResetDevice, aclFinalize};
#endif
    return use(&acl);
}
