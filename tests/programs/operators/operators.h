/* What the programs of operators share: tensors of floats, and workspaces. */
#ifndef PROGRAMS_OPERATORS_H
#define PROGRAMS_OPERATORS_H
#include "../rt.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_gaussian_blur.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_rms_norm.h"

static inline aclTensor *matrix(int64_t rows, int64_t columns, void *data) {
    const int64_t dims[] = {rows, columns};
    return aclCreateTensor(dims, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 2, data);
}

static inline aclrtStream stream(void) {
    aclrtStream made;
    MUST(aclrtCreateStream(&made));
    return made;
}

/* Zeroed floats. */
static inline float *floats(size_t count) {
    float *made = (float *)device(count * sizeof(float));
    MUST(aclrtMemset(made, count * sizeof(float), 0, count * sizeof(float)));
    return made;
}
#endif
