/* Orders of the axes of attention's operands, by the first letters of their names. */
#ifndef SIMULATOR_ACLNN_LAYOUTS_H
#define SIMULATOR_ACLNN_LAYOUTS_H

#include "operator.h"

#define LAYOUT_NAMED(a, b, c, d) ((int64_t)(a) | (int64_t)(b) << 8 | (int64_t)(c) << 16 | (int64_t)(d) << 24)
#define LAYOUT_BNSD LAYOUT_NAMED('B', 'N', 'S', 'D')
#define LAYOUT_BSND LAYOUT_NAMED('B', 'S', 'N', 'D')
#define LAYOUT_BSH LAYOUT_NAMED('B', 'S', 'H', 0)
#define LAYOUT_SBH LAYOUT_NAMED('S', 'B', 'H', 0)

/* The same elements as batches of heads of places. False for a shape that the layout does not have, and for another layout. */
bool arrangedByHeads(const struct aclTensor *tensor, int64_t layout, int64_t heads, struct aclTensor *by_heads);

#endif
