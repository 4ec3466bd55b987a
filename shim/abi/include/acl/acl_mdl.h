/* Model calls (aclmdl*): the part that we declare. */
#ifndef ACLSAN_ACL_MDL_H
#define ACLSAN_ACL_MDL_H

#include "acl_base.h"
#include "acl_rt.h"

#endif
