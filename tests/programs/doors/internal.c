/* A library of CANN's, which allocates at the layer below for itself and keeps it, and releases what is not its own. */
#include "runtime/mem.h"
#include <stddef.h>

static void *kept;

int internal_begin(void) {
    void *passing = NULL;
    return rtMalloc(&kept, 5000, 0x2, 0) + rtMalloc(&passing, 100, 0x2, 0) + rtFree(passing);
}

int internal_release(void *block) {
    return rtFree(block);
}
