/* Assertions that name the fact they check: a section of the AscendCL data sheet, such
 * as "5.2", or of the peer study, such as "peers 0.6". */
#ifndef EXPECT_H
#define EXPECT_H

#include "acl/acl.h"
#include "aclsim.h"
#include "../facts.h"

#define OK(call) EXPECT_CODE("set-up", ACL_SUCCESS, call)

/* Whether the libraries behave as those after 9.1.0, where that and 9.1.0 differ. */
__attribute__((unused)) static int isAfter91(void)
{
    char package[] = "runtime";
    int32_t number = 0;
    OK(aclsysGetVersionNum(package, &number));
    return number > 90100000;
}

/* Size that the runtime's own resolver gives for a block. */
__attribute__((unused)) static size_t sizeOf(void *pointer)
{
    void *base = NULL;
    size_t size = 0;
    OK(aclrtMemGetAddressRange(pointer, &base, &size));
    EXPECT("3.6 GetAddressRange", base == pointer);
    return size;
}

#endif
