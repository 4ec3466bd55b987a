/* A range of addresses that looks like device memory: the program cannot touch it,
 * the simulator reaches the same bytes through a second mapping. */
#ifndef ACLSIM_WINDOW_H
#define ACLSIM_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct window {
    uintptr_t base;
    uint64_t size;
    char *alias;          /* same bytes, always readable and writable */
    bool host_visible;    /* pinned memory, or a chip that is its own host */
    int file;             /* the memory file: other processes map it too */
};

/* `wanted` is only a wish; any address will do. False when the process has no room. */
bool windowReserve(struct window *window, uintptr_t wanted, uint64_t size, bool host_visible);
bool windowHolds(const struct window *window, uintptr_t address);
char *windowAlias(const struct window *window, uintptr_t address);
/* Pages come and go; those that come back read as zeros. */
bool windowMap(const struct window *window, uintptr_t start, uint64_t length);
void windowUnmap(const struct window *window, uintptr_t start, uint64_t length);

#endif
