/* Addresses of foreign memory: blocks imported from another process, and host
 * memory as devices see it. They are in a separate window, which the host cannot access. */
#ifndef ACLSIM_FOREIGN_H
#define ACLSIM_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

enum foreign_kind {
    FOREIGN_IMPORTED,   /* `bytes` is a mapping of ours, which ends with the range */
    FOREIGN_REGISTERED, /* `bytes` is the program's own memory */
};

struct foreign {
    enum foreign_kind kind;
    int32_t device;
    uint64_t size, page;
    char *bytes;
    uintptr_t base; /* the program's address; set by foreignAdd */
    struct foreign *next;
};

/* 0 when there is no room. */
uintptr_t foreignAdd(struct foreign form);
/* False unless a range starts at `base`. */
bool foreignDrop(uintptr_t base);
/* Whether an address is in the window, with or without a range there. */
bool foreignHolds(uintptr_t address);
/* The range that holds an address, interior ones included. */
bool foreignFind(uintptr_t address, struct foreign *range);
/* Where the simulator reaches an address of the window, and how many bytes from there. */
void *foreignView(uintptr_t address, uint64_t size, uint64_t *reach);

#endif
