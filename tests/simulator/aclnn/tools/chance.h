/* What a seed makes: numbers, types and shapes of one call. */
#ifndef SIMULATOR_ACLNN_CHANCE_H
#define SIMULATOR_ACLNN_CHANCE_H

#include "../objects.h"

/* Begins a call of an operator. */
void chanceBegin(uint64_t seed, const char *operator);
/* From 0 on. */
int64_t below(int64_t count);
/* Of 100 cases. */
bool happens(int cases);

aclDataType typeAtRandom(void);
double valueAtRandom(void);
int64_t numberAtRandom(void);
/* The type that most of the call's tensors have, and the rank that their shapes are drawn around. */
aclDataType baseType(void);
int baseRank(void);

/* Whether the call has a template (`shapes.h`): its numbers and types are mostly what the operator needs. */
bool isTame(void);
/* The next tensor's shape, and whether it is of integers; false where there is none. */
bool shapeAtRandom(int *rank, int64_t dims[RANK], bool *is_index);
/* How many tensors the next list has; `otherwise` without a template. */
int listedNext(int otherwise);

#endif
