/* Mappings for other devices, and the way that they take. */
#ifndef ACLSAN_RT_LINKS_H
#define ACLSAN_RT_LINKS_H

#include "../acl_base.h"
#include "virtual_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    ACL_RT_MEM_ACCESS_LINK_SIO = 0,
    ACL_RT_MEM_ACCESS_LINK_HCCS = 1,
    ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH = 2,
    ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH = 3,
} aclrtMemLinkType;

aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle, aclrtMemLinkType adviceLink);
aclError aclrtMemP2PMap(void *devPtr, size_t size, int32_t dstDevId, uint64_t flags);

#ifdef __cplusplus
}
#endif

#endif
