/* The live handles: a hash table with linear probing, under the driver's lock. */
#include <stdlib.h>

#include "state.h"

struct slot {
    const void *handle;
    enum handle_kind kind;
};

static struct slot *slots;
static size_t capacity, count;

static size_t placeOf(const void *handle)
{
    return ((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15ull >> 20;
}

static struct slot *find(const void *handle)
{
    for (size_t i = placeOf(handle); capacity > 0; i++) {
        struct slot *slot = &slots[i & (capacity - 1)];
        if (!slot->handle) {
            return NULL;
        }
        if (slot->handle == handle) {
            return slot;
        }
    }
    return NULL;
}

static void place(struct slot item)
{
    size_t i = placeOf(item.handle);
    while (slots[i & (capacity - 1)].handle) {
        i++;
    }
    slots[i & (capacity - 1)] = item;
}

static bool grow(void)
{
    struct slot *old = slots;
    const size_t old_capacity = capacity;
    struct slot *fresh = calloc(capacity ? capacity * 2 : 64, sizeof *fresh);
    if (!fresh) {
        return false;
    }
    slots = fresh;
    capacity = capacity ? capacity * 2 : 64;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].handle) {
            place(old[i]);
        }
    }
    free(old);
    return true;
}

bool handleAdd(enum handle_kind kind, const void *handle)
{
    if (2 * (count + 1) > capacity && !grow()) {
        return false;
    }
    place((struct slot){handle, kind});
    count++;
    return true;
}

bool handleAlive(enum handle_kind kind, const void *handle)
{
    const struct slot *slot = handle ? find(handle) : NULL;
    return slot && slot->kind == kind;
}

bool handleDrop(enum handle_kind kind, const void *handle)
{
    if (!handleAlive(kind, handle)) {
        return false;
    }
    struct slot *slot = find(handle);
    slot->handle = NULL;
    count--;
    /* Entries after it may have been pushed on by it. */
    for (size_t i = (size_t)(slot - slots) + 1; slots[i & (capacity - 1)].handle; i++) {
        struct slot moved = slots[i & (capacity - 1)];
        slots[i & (capacity - 1)].handle = NULL;
        place(moved);
    }
    return true;
}
