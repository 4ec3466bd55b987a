/* What the public functions check their arguments with. */
#ifndef SIMULATOR_HCCL_CHECK_H
#define SIMULATOR_HCCL_CHECK_H

#include "../public.h"
#include "exports.h"
#include "group.h"

HCCL_EXPORTS(ACLSIM_DECLARE_APART)

#define CHECK(condition, code) \
    do { \
        if (!(condition)) { \
            return (code); \
        } \
    } while (0)
#define CHECK_TYPE(type) CHECK(hcclElementBytes(type) > 0, HCCL_E_NOT_SUPPORT)

/* hccl.c. ACL_DT_UNDEFINED and 0 for types without elements of whole bytes. */
aclDataType hcclElement(HcclDataType type);
uint64_t hcclElementBytes(HcclDataType type);

#endif
