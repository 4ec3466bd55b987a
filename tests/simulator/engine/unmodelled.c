/* Functions exported only so that programs link: they do nothing and say so once, by name. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../exports.h"
#include "settings.h"

#define NAME_STRING(name) #name,
static const char *const names[] = {UNMODELLED_EXPORTS(NAME_STRING) LATER_UNMODELLED_EXPORTS(NAME_STRING)};
static _Atomic unsigned char said[sizeof names / sizeof *names];

aclError aclsimNotModelled(const char *function)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], function) == 0 && !said[i]++ && !isQuiet()) {
            fprintf(stderr, "aclsim: `%s` is not modelled: it answers %d, as an absent feature does\n", function,
                    ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        }
    }
    return aclsimFailed(function, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}
