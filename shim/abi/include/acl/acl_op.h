/* Single-operator calls (aclop*): the part that we declare. */
#ifndef ACLSAN_ACL_OP_H
#define ACLSAN_ACL_OP_H

#include "acl_base.h"
#include "acl_rt.h"

#endif
