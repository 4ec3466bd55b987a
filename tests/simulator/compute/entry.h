/* Shared by the files that define the public functions of models and operators. */
#ifndef SIMULATOR_COMPUTE_ENTRY_H
#define SIMULATOR_COMPUTE_ENTRY_H

#include "../public.h"
#include "acl/acl_op_compiler.h"
#include "acl/ops/acl_cblas.h"
#include "exports.h"

COMPUTE_EXPORTS(ACLSIM_DECLARE_APART)

#endif
