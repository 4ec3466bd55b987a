/* A kernel that accesses an unmapped address: its core stops with an exception. */
#include "../engine.h"

static _Thread_local aclError trapped;

void aclsimTrap(aclError code)
{
    trapped = trapped != ACL_SUCCESS ? trapped : code;
}

aclError aclsimTrapped(void)
{
    aclError code = trapped;
    trapped = ACL_SUCCESS;
    return code;
}
