/* Initialization and finalization of the operator library. */
#ifndef ACLSAN_ACLNN_BASE_H
#define ACLSAN_ACLNN_BASE_H

#include "acl/acl_rt.h"
#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnInit(const char *configPath);
aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif

#endif
