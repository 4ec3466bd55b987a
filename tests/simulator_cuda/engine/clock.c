/* Vector clocks: what of other streams comes before a stream's next task, known without waiting for it. */
#include <stdlib.h>

#include "stream.h"

void clockAdd(struct clock *clock, uint64_t stream, uint64_t ticket)
{
    for (size_t i = 0; i < clock->count; i++) {
        if (clock->entries[i].stream == stream) {
            if (clock->entries[i].ticket < ticket) {
                clock->entries[i].ticket = ticket;
            }
            return;
        }
    }
    if (clock->count == clock->room) {
        const size_t room = clock->room ? 2 * clock->room : 4;
        void *entries = realloc(clock->entries, room * sizeof *clock->entries);
        if (!entries) {
            return; /* an order that is not known only costs a reuse */
        }
        clock->entries = entries;
        clock->room = room;
    }
    clock->entries[clock->count].stream = stream;
    clock->entries[clock->count++].ticket = ticket;
}

void clockJoin(struct clock *clock, const struct clock *other)
{
    for (size_t i = 0; i < other->count; i++) {
        clockAdd(clock, other->entries[i].stream, other->entries[i].ticket);
    }
}

void clockDrop(struct clock *clock)
{
    free(clock->entries);
    *clock = (struct clock){0};
}

bool isOrdered(CUstream stream, struct point point)
{
    if (stream == point.stream) {
        return true;
    }
    for (size_t i = 0; i < stream->clock.count; i++) {
        if (stream->clock.entries[i].stream == point.stream->id) {
            return stream->clock.entries[i].ticket >= point.ticket;
        }
    }
    return false;
}
