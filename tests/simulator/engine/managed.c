/* Managed memory, and the program's advice for each 2 MiB. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "context.h"
#include "stream.h"

#define GRANULE (2ull << 20)
/* The result if the range has no common value. */
#define NOWHERE (-2)
#define AT_HOST (-1)

struct place {
    uint32_t type; /* an aclrtMemManagedLocationType; 0: none */
    int32_t id;
};

struct advice {
    bool read_mostly;
    struct place preferred, prefetched;
    uint64_t accessed_by; /* bit 0: the host; bit n + 1: device n */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct advice *advices; /* of every granule of the window; holes cost nothing */

static uint64_t roundUp(uint64_t size)
{
    return (size + GRANULE - 1) / GRANULE * GRANULE;
}

/* The lock is held. The granules of a range within one block; NULL if it is not. */
static struct advice *granules(const void *pointer, uint64_t size, uint64_t *count)
{
    uintptr_t address = (uintptr_t)pointer;
    struct heap *heap = heapOf(address);
    struct block block;
    if (!advices || !heap || heap->device != MANAGED_HEAP || !heapFind(heap, address, &block) ||
        size > block.base + block.size - address) {
        return NULL;
    }
    uint64_t first = (address - heap->window.base) / GRANULE;
    *count = (address + size - 1 - heap->window.base) / GRANULE - first + 1;
    return advices + first;
}

aclError rtMemAllocManaged(void **pointer, uint64_t size, uint32_t flag, uint16_t module)
{
    (void)flag;
    (void)module;
    if (size == 0) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (!contextCurrent()) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    if (!aclsimSoc()->has_managed) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    struct heap *heap = heapManaged();
    uintptr_t address = heap && size <= UINT64_MAX - GRANULE ? heapAllocate(heap, PAGES_HUGE, roundUp(size)) : 0;
    if (!address) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    pthread_mutex_lock(&lock);
    if (!advices) {
        void *table = mmap(NULL, heap->window.size / GRANULE * sizeof *advices, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        advices = table == MAP_FAILED ? NULL : table;
    }
    uint64_t count;
    struct advice *first = granules((void *)address, roundUp(size), &count);
    if (first) {
        memset(first, 0, count * sizeof *first);
    }
    pthread_mutex_unlock(&lock);
    *pointer = (void *)address;
    return ACL_SUCCESS;
}

static bool isPlace(aclrtMemManagedLocation location)
{
    return location.type != ACL_MEM_LOCATIONTYPE_DEVICE || deviceAt(location.id) != NULL;
}

static void follow(struct advice *advice, uint32_t type, aclrtMemManagedLocation location)
{
    uint64_t bit = location.type == ACL_MEM_LOCATIONTYPE_DEVICE ? 2ull << location.id : 1;
    switch (type) {
    case ACL_MEM_ADVISE_SET_READ_MOSTLY:
    case ACL_MEM_ADVISE_UNSET_READ_MOSTLY:
        advice->read_mostly = type == ACL_MEM_ADVISE_SET_READ_MOSTLY;
        break;
    case ACL_MEM_ADVISE_SET_PREFERRED_LOCATION:
        advice->preferred = (struct place){location.type, location.id};
        break;
    case ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
        advice->preferred = (struct place){0, 0};
        break;
    case ACL_MEM_ADVISE_SET_ACCESSED_BY:
        advice->accessed_by |= bit;
        break;
    default:
        advice->accessed_by &= ~bit;
        break;
    }
}

aclError rtMemManagedAdvise(const void *pointer, uint64_t size, uint32_t type, aclrtMemManagedLocation location)
{
    if (size == 0 || size % GRANULE || type > ACL_MEM_ADVISE_UNSET_ACCESSED_BY || !isPlace(location)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    uint64_t count;
    pthread_mutex_lock(&lock);
    struct advice *first = granules(pointer, size, &count);
    for (uint64_t i = 0; first && i < count; i++) {
        follow(&first[i], type, location);
    }
    pthread_mutex_unlock(&lock);
    return first ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

static int32_t numberOf(struct place place)
{
    return place.type == 0 ? NOWHERE : place.type == ACL_MEM_LOCATIONTYPE_HOST ? AT_HOST : place.id;
}

static bool isSame(struct place left, struct place right)
{
    return left.type == right.type && (left.type == ACL_MEM_LOCATIONTYPE_HOST || left.id == right.id);
}

/* The common value of all granules. */
static struct advice common(const struct advice *first, uint64_t count)
{
    struct advice all = *first;
    for (uint64_t i = 1; i < count; i++) {
        all.read_mostly = all.read_mostly && first[i].read_mostly;
        all.accessed_by &= first[i].accessed_by;
        all.preferred = isSame(all.preferred, first[i].preferred) ? all.preferred : (struct place){0, 0};
        all.prefetched = isSame(all.prefetched, first[i].prefetched) ? all.prefetched : (struct place){0, 0};
    }
    return all;
}

static int32_t answerOf(uint32_t attribute, const struct advice *all)
{
    switch (attribute) {
    case ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        return all->read_mostly;
    case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
        return (int32_t)all->preferred.type;
    case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
    case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
        return numberOf(all->preferred);
    case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
        return (int32_t)all->prefetched.type;
    default:
        return numberOf(all->prefetched);
    }
}

static void listAccessors(uint64_t accessed_by, int32_t *numbers, uint64_t room)
{
    uint64_t used = 0;
    for (int32_t bit = 0; bit < 64 && used < room; bit++) {
        if (accessed_by >> bit & 1) {
            numbers[used++] = bit - 1;
        }
    }
    while (used < room) {
        numbers[used++] = NOWHERE;
    }
}

aclError rtMemManagedGetAttr(uint32_t attribute, const void *pointer, uint64_t size, void *data, uint64_t room)
{
    bool lists = attribute == ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
    bool fits = lists ? room && room % sizeof(int32_t) == 0 : room == sizeof(int32_t);
    if (attribute < ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ||
        attribute > ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID || size == 0 || !fits) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    uint64_t count;
    pthread_mutex_lock(&lock);
    struct advice *first = granules(pointer, size, &count);
    struct advice all = first ? common(first, count) : (struct advice){0};
    pthread_mutex_unlock(&lock);
    if (first && lists) {
        listAccessors(all.accessed_by, data, room / sizeof(int32_t));
    } else if (first) {
        int32_t answer = answerOf(attribute, &all);
        memcpy(data, &answer, sizeof answer);
    }
    return first ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

static aclError arrive(void *unused)
{
    (void)unused;
    return ACL_SUCCESS;
}

/* Nothing moves here: the pages are one for host and devices. The order in the stream is real. */
aclError rtMemManagedPrefetchAsync(const void *pointer, uint64_t size, aclrtMemManagedLocation location, uint32_t flags,
                                   aclrtStream stream)
{
    if (size == 0 || size % GRANULE || flags || !isPlace(location)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    uint64_t count;
    pthread_mutex_lock(&lock);
    struct advice *first = granules(pointer, size, &count);
    for (uint64_t i = 0; first && i < count; i++) {
        first[i].prefetched = (struct place){location.type, location.id};
    }
    pthread_mutex_unlock(&lock);
    return first ? aclsimEnqueue(stream, arrive, NULL, NULL) : ACL_ERROR_RT_PARAM_INVALID;
}
