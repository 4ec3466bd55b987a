// An allocator to be preloaded: it takes back exactly what it has given, and ends the process at anything else.
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define BYTES ((size_t)256 << 20)
#define MARK 0x5eedf00dcafeul

struct chunk { size_t size, mark; };
static _Alignas(64) char heap[BYTES];
static _Atomic size_t used;

static void wrong(void) {
    static const char text[] = "own_heap: a chunk of another allocator\n";
    (void)!write(2, text, sizeof text - 1);
    _exit(77);
}

static struct chunk *chunk_of(void *pointer) {
    char *at = (char *)pointer - sizeof(struct chunk);
    if (at < heap || at >= heap + BYTES || ((struct chunk *)at)->mark != MARK) wrong();
    return (struct chunk *)at;
}

static void *take(size_t size, size_t alignment) {
    if (size > BYTES / 2) return errno = ENOMEM, NULL;
    size_t room = (size + sizeof(struct chunk) + 2 * alignment + 15) & ~(size_t)15;
    size_t start = atomic_fetch_add(&used, room);
    if (start + room > BYTES) return errno = ENOMEM, NULL;
    uintptr_t address = ((uintptr_t)heap + start + sizeof(struct chunk) + alignment - 1) & ~(uintptr_t)(alignment - 1);
    struct chunk *chunk = (struct chunk *)address - 1;
    *chunk = (struct chunk){size, MARK};
    return (void *)address;
}

void *malloc(size_t size) { return take(size, 16); }
void *calloc(size_t count, size_t size) { return size && count > BYTES / size ? NULL : take(count * size, 16); } // Never used before.
void *memalign(size_t alignment, size_t size) { return take(size, alignment < 16 ? 16 : alignment); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **to, size_t alignment, size_t size) { return (*to = memalign(alignment, size)) ? 0 : ENOMEM; }
size_t malloc_usable_size(void *pointer) { return pointer ? chunk_of(pointer)->size : 0; }

void free(void *pointer) {
    if (pointer) chunk_of(pointer)->mark = 0;
}

void *realloc(void *pointer, size_t size) {
    void *fresh = take(size, 16);
    if (!pointer || !fresh) return fresh;
    size_t before = chunk_of(pointer)->size;
    memcpy(fresh, pointer, before < size ? before : size);
    free(pointer);
    return fresh;
}

void *reallocarray(void *pointer, size_t count, size_t size) { return size && count > BYTES / size ? NULL : realloc(pointer, count * size); }
