/* Types, codes and data descriptors shared by every family. */
#ifndef ACLSAN_ACL_BASE_H
#define ACLSAN_ACL_BASE_H

#include "acl_base_rt.h"
#include "acl_base_mdl.h"
#include "error_codes/rt_error_codes.h"

#endif
