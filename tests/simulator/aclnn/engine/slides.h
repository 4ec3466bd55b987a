/* Whether shapes fit windows that slide over the last axes of a tensor. Each refuses with a text of its own. */
#ifndef SIMULATOR_ACLNN_SLIDES_H
#define SIMULATOR_ACLNN_SLIDES_H

#include "checks.h"

/* Both have the same dimensions before the last `axes`, at least one. Where `many` has places, `in` has some, too. */
bool planesFit(const struct aclTensor *in, int in_at, const struct aclTensor *many, int many_at, int axes);
/* The arrays from argument `at` on are a kernel, steps, padding and, if there is one, dilation, of one number or of one for each axis; each
 * window begins within `in`, before its padding at most half a window. */
bool windowsFit(const struct plan *plan, int in_at, int out_at, int axes, int at, bool has_dilation);

#endif
