/* A kernel that touches an address without memory behind it: its core stops with an exception. */
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
