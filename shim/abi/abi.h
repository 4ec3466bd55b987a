/* The interposed calls: bindgen reads this, and the compiler checks every hook against the result. */
#define ACLSAN_INTERPOSED_ONLY
#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"
#include "acl/dvpp/hi_dvpp.h"
#include "acl/acl_op_compiler.h"
#include "acl/ops/acl_dvpp.h"
#include "hiaiengine/c_graph.h"
#include "mangled.h"
#include "runtime/mem.h"
#include "runtime/waits.h"
#include "aclnn/opdev.h"
#include "hccl/hccl.h"
#include "mstx/declarations.h"
