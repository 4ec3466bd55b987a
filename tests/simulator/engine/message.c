/* The last failure of each thread, for aclGetRecentErrMsg and aclrtGetLastError. */
#include <stdio.h>

#include "../engine.h"

static _Thread_local char text[160];
static _Thread_local aclError last;

aclError aclsimFailed(const char *function, aclError code)
{
    if (code != ACL_SUCCESS) {
        last = code;
        snprintf(text, sizeof text, "%s failed with %d", function, code);
    }
    return code;
}

const char *aclsimMessage(void)
{
    return text[0] ? text : NULL;
}

aclError aclsimLastError(bool clear)
{
    aclError code = last;
    last = clear ? ACL_SUCCESS : last;
    return code;
}
