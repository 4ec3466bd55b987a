/* Chunks from the heap in a list; small allocations share one. */
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 16384, ALIGNMENT = 16 };

struct om_chunk {
    struct om_chunk *next;
    size_t used, room;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

void *omTake(struct om_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - CHUNK) / 2 / size) {
        arena->is_exhausted = true;
        return NULL;
    }
    size_t wanted = (count * size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    struct om_chunk *chunk = arena->chunks;
    if (chunk == NULL || chunk->room - chunk->used < wanted) {
        size_t room = wanted > CHUNK / 4 ? wanted : CHUNK;
        chunk = calloc(1, sizeof *chunk + room);
        if (chunk == NULL) {
            arena->is_exhausted = true;
            return NULL;
        }
        chunk->room = room;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    void *taken = chunk->bytes + chunk->used;
    chunk->used += wanted;
    return taken;
}

const char *omText(struct om_arena *arena, const void *bytes, size_t length)
{
    char *text = omTake(arena, length + 1, 1);
    if (text == NULL) {
        return "";
    }
    if (length > 0) {
        memcpy(text, bytes, length);
    }
    return text;
}

void omFree(struct om_arena *arena)
{
    while (arena->chunks != NULL) {
        struct om_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    *arena = (struct om_arena){0};
}
