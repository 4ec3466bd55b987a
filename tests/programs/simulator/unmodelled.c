//@ run: ACLSIM_QUIET=1
/* Names that do nothing here: they answer as absent features do, and say so once on stderr. */
#include "expect.h"

int main(int count, char **arguments)
{
    void *address;
    size_t size;
    OK(aclrtSetDevice(0));
    for (int i = 0; i < 2; i++) {
        EXPECT_CODE("data sheet 2: feature", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtGetHardwareSyncAddr(&address));
        EXPECT_CODE("data sheet 2: feature", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtCmoGetDescSize(&size));
    }
    return count > 5 || !arguments;
}
