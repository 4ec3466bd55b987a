//@ flags: -Wl,--no-as-needed
// Every function is looked up in the whole program.
#include "door.h"

int main(void) {
#define EVERYWHERE(name) dlsym(RTLD_DEFAULT, name)
    struct acl acl = ACL_FROM(EVERYWHERE);
    return use(&acl);
}
