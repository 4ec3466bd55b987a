/* The product of dense matrices. */
#ifndef SIMULATOR_ACLNN_MATRIX_H
#define SIMULATOR_ACLNN_MATRIX_H

#include <stdint.h>

/* c (rows × columns) = a (rows × depth) · b (depth × columns) */
void multiply(int64_t rows, int64_t columns, int64_t depth, const float *a, const float *b, float *c);

#endif
