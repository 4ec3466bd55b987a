/* Bytes on their way: the giver copies them into a memory file of its own, the takers map that file. */
#ifndef SIMULATOR_HCCL_STAGING_H
#define SIMULATOR_HCCL_STAGING_H

#include "segment.h"

/* Of this rank. Starts as zeros. */
struct staging {
    bool is_open;
    int file;
    uint64_t size;
    unsigned char *bytes;
};

/* Another's, as this rank has mapped it. Starts as zeros. */
struct borrowed {
    int file;
    uint64_t size;
    const unsigned char *bytes;
};

/* Makes room; what was there is lost. */
bool stagingReserve(struct staging *staging, uint64_t bytes);
void stagingEnd(struct staging *staging);
/* NULL when the process is gone, or without memory. */
const unsigned char *borrow(struct borrowed *borrowed, int32_t process, int file, uint64_t size);
void borrowEnd(struct borrowed *borrowed);

#endif
