/* The live handles of streams, events and so on, so that stale and wild ones are refused
 * instead of followed. The simulator of CUDA's driver has them, too. */
#ifndef ACLSIM_HANDLES_H
#define ACLSIM_HANDLES_H

#include <stdbool.h>

enum handle_kind { HANDLE_STREAM, HANDLE_EVENT, HANDLE_MBUF, HANDLE_NOTIFY, HANDLE_COUNT_NOTIFY, HANDLE_GRAPH,
                   HANDLE_LABEL, HANDLE_LABEL_LIST, HANDLE_MEMBER, HANDLE_GROUP, HANDLE_TASK, HANDLE_CONDITION, HANDLE_BINARY,
                   HANDLE_FUNCTION, HANDLE_ARGUMENTS, HANDLE_CONTEXT, HANDLE_POOL, HANDLE_MODULE, HANDLE_KINDS };

bool handleAdd(enum handle_kind kind, const void *handle);
/* False when it was not alive: only one of two racing callers may end it. */
bool handleDrop(enum handle_kind kind, const void *handle);
bool handleAlive(enum handle_kind kind, const void *handle);

#endif
