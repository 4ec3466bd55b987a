/* Everything that `#include "acl/acl.h"` provides. */
#ifndef ACLSAN_ACL_H
#define ACLSAN_ACL_H

#include "acl_rt.h"
#include "acl_op.h"
#include "acl_mdl.h"

#endif
