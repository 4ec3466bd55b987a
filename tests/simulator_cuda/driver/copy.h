/* Copies and fills with a stream of the caller's choice, for all their names. */
#ifndef CUSIM_COPY_H
#define CUSIM_COPY_H

#include "../engine/work.h"

enum side { SIDE_HOST, SIDE_DEVICE, SIDE_ANY };

/* `is_async`: the names that end in Async. */
CUresult copyBytes(const struct copy *copy, enum side dst, enum side src, CUstream stream, bool is_async);
CUresult copyFlat(uintptr_t dst, enum side to, uintptr_t src, enum side from, size_t size, CUstream stream, bool is_async);
CUresult copyDescribed2D(const CUDA_MEMCPY2D *described, CUstream stream, bool is_async);
CUresult copyDescribed3D(const CUDA_MEMCPY3D *described, CUstream stream, bool is_async);
CUresult fillElements(const struct fill *fill, CUstream stream, bool is_async);

#endif
