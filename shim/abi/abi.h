/* What the shim interposes: bindgen reads this, and the compiler checks every hook against the result. */
#include "acl/acl.h"
#include "acl/dvpp/hi_dvpp.h"
#include "acl/acl_op_compiler.h"
#include "acl/ops/acl_dvpp.h"
#include "runtime/mem.h"
#include "aclnn/opdev.h"
#include "hccl/hccl.h"
