/* One large media block that the program divides by the rules of the sub-allocation guide: each segment ALIGN_UP(length, 32) + 32 bytes
 * long, each start a multiple of 128. */
#ifndef PROGRAMS_SEGMENTS_H
#define PROGRAMS_SEGMENTS_H
#include "../rt.h"

typedef struct {
    char *block;
    size_t size, used;
} Segments;

static inline size_t up(size_t size, size_t to) {
    return (size + to - 1) / to * to;
}

static inline Segments segmentsOf(size_t size) {
    return (Segments){dvpp(size), size, 0};
}

/* As in the guide, except for the end of the block, which is not checked here. */
static inline char *segment(Segments *from, size_t length) {
    char *start = from->block + from->used;
    from->used = up(from->used + up(length, 32) + 32, 128);
    return start;
}
#endif
