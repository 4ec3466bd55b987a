/* Free extents of an arena: cutting, joining, and finding one that is large enough.
 * "Binned" extents can be found; gone and idle ones are, live ones are not. */
#ifndef ACLSIM_EXTENTS_H
#define ACLSIM_EXTENTS_H

#include "arena.h"

/* A binned extent of this state with at least `span` bytes, or NULL. */
struct extent *extentFind(struct arena *arena, enum extent_state state, uint64_t span);
void extentRemove(struct extent *extent);
/* Cuts a binned extent in two; both stay binned in its state. */
bool extentSplit(struct extent *extent, uint64_t offset);
/* Cuts an unbinned extent in two and answers the upper part, or NULL without memory. */
struct extent *extentCut(struct extent *extent, uint64_t offset);
/* Gives an unbinned extent a state, joins it with equal neighbors, bins the result. */
struct extent *extentSettle(struct extent *extent, enum extent_state state);

#endif
