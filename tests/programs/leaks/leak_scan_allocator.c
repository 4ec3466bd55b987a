//@ flags: -shared -fPIC
// An allocator that never reuses memory: which of its objects are reachable is not known. A library for `leak_scan_allocated.c`.
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

static char *volatile arena;
static size_t volatile used;

enum { ROOM = 64 << 20, HEADER = 16 };

void *malloc(size_t size) {
    if (arena == NULL) arena = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t length = (size + HEADER + 15) / 16 * 16;
    size_t at = __atomic_fetch_add(&used, length, __ATOMIC_RELAXED);
    if (at + length > ROOM) return NULL;
    memcpy(arena + at, &size, sizeof size);
    return arena + at + HEADER;
}

void free(void *chunk) { (void)chunk; }

void *calloc(size_t count, size_t size) { return malloc(count * size); }

void *realloc(void *chunk, size_t size) {
    void *moved = malloc(size);
    if (chunk == NULL || moved == NULL) return moved;
    size_t before;
    memcpy(&before, (char *)chunk - HEADER, sizeof before);
    return memcpy(moved, chunk, before < size ? before : size);
}

static void *aligned(size_t alignment, size_t size) {
    char *chunk = malloc(size + alignment + HEADER);
    if (chunk == NULL) return NULL;
    char *at = chunk + (alignment - (size_t)chunk % alignment) % alignment;
    if (at != chunk) memcpy(at - HEADER, &size, sizeof size);
    return at;
}

int posix_memalign(void **chunk, size_t alignment, size_t size) {
    *chunk = aligned(alignment < HEADER ? HEADER : alignment, size);
    return *chunk == NULL ? 12 : 0;
}

void *memalign(size_t alignment, size_t size) { return aligned(alignment < HEADER ? HEADER : alignment, size); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

#ifdef KNOWN
int KNOWN(void) { return 0; }
#endif
