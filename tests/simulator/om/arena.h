/* Memory that is freed at once: what a reader builds from one file. */
#ifndef SIMULATOR_OM_ARENA_H
#define SIMULATOR_OM_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct om_chunk;
struct om_arena {
    struct om_chunk *chunks;
    bool is_exhausted; /* an allocation failed; what was built is not to be used */
};

/* Zeroed, aligned for anything. Never NULL for a count of 0. NULL when there is no memory. */
void *omTake(struct om_arena *arena, size_t count, size_t size);
/* A copy with a NUL behind it. */
const char *omText(struct om_arena *arena, const void *bytes, size_t length);
void omFree(struct om_arena *arena);

#endif
