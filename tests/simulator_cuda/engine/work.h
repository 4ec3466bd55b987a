/* What a stream can do. */
#ifndef CUSIM_WORK_H
#define CUSIM_WORK_H

#include "stream.h"

struct kernel;
struct record;

/* Rows and planes of bytes, from address to address. */
struct copy {
    uintptr_t dst, src;
    size_t dst_pitch, src_pitch;
    size_t dst_plane, src_plane;
    size_t width, height, depth;
};

struct fill {
    uintptr_t dst;
    size_t pitch;
    unsigned value, element;
    size_t width, height; /* width in elements */
};

struct work {
    unsigned holders;
    CUcontext context;
    /* Without the lock. Its answer becomes the context's fault. */
    CUresult (*run)(struct work *work);
    void (*drop)(struct work *work);
    union {
        struct copy copy;
        struct fill fill;
        struct { CUhostFn function; void *argument; } host;
        struct record *record;
        struct { const struct kernel *kernel; unsigned grid[3], block[3], shared; unsigned char *arguments; } kernel;
    } as;
    void *owned;          /* staged bytes or arguments, released with the work */
};

/* NULL without memory; held once. */
struct work *workNew(CUcontext context, CUresult (*run)(struct work *work));
void workHold(struct work *work);
void workRelease(struct work *work);

struct work *workNothing(CUcontext context);
struct work *workCopy(CUcontext context, const struct copy *copy);
struct work *workFill(CUcontext context, const struct fill *fill);
struct work *workHost(CUcontext context, CUhostFn function, void *argument);

/* Without the lock: 700 at the first address without memory. */
CUresult runCopy(const struct copy *copy);
CUresult runFill(const struct fill *fill);

#endif
