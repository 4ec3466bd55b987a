/* The table of live objects, and what begins with one. */
#ifndef SIMULATOR_ACLNN_LIVING_H
#define SIMULATOR_ACLNN_LIVING_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory for an object; NULL without memory. */
void *objectNew(size_t size);
/* Ends an object. False for one that is none any more: destroying twice is not the simulator's crash. */
bool objectEnd(const void *object);

/* Phase one of an operator begins: a key that was set for another one is void. */
void cacheBegin(const char *operator);

#endif
