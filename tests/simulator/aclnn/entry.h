/* Shared by the files that define the public functions of the operator interface. */
#ifndef SIMULATOR_ACLNN_ENTRY_H
#define SIMULATOR_ACLNN_ENTRY_H

#include "../public.h"
#include "aclnn/opdev.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_gaussian_blur.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "base/cache.h"
#include "exports.h"

#define ACLNN_DECLARE(name) extern __typeof__(name) name __attribute__((visibility("default")));
ACLNN_EXPORTS(ACLNN_DECLARE)

#endif
