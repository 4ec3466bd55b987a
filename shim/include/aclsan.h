/* aclsan.h: annotations that a program makes for aclsan: pools, epochs, names, what to ignore.
 *
 * Nothing is linked. Each call checks whether libaclsan.so is preloaded; if it is not, that check is the whole cost: a load and a
 * branch, and a result of 0. So annotations can stay in release builds. C99 with GNU extensions, or C++11; any thread may make any
 * call; texts are copied, up to their first 1000 bytes.
 *
 *     aclsan_pool pool = aclsan_pool_create("activations", block, size);
 *     aclsan_pool_alloc(pool, block + offset, length);      after the pool has allocated the bytes
 *     aclsan_pool_free(pool, block + offset);               before it frees them
 *
 *     cc -I"$(aclsan env --includedir)" app.c …
 */
#ifndef ACLSAN_H
#define ACLSAN_H

#include <stddef.h>
#include <stdint.h>

/* Incremented when calls are added; none is ever removed or changed. */
#define ACLSAN_INTERFACE 2

/* A pool: memory that the program suballocates. 0 is no pool: every call accepts it and does nothing. */
typedef uint64_t aclsan_pool;

#ifdef __cplusplus
extern "C" {
#endif

/* The shim's functions, in a namespace of their own. Null unless it is preloaded. */
#define ACLSAN_WEAK_ __attribute__((weak))
extern int __aclsan_interface(void) ACLSAN_WEAK_;
extern uint64_t __aclsan_pool_create(const char *name, const void *address, size_t size) ACLSAN_WEAK_;
extern void __aclsan_pool_policy(uint64_t pool, size_t alignment, size_t rounding) ACLSAN_WEAK_;
extern void __aclsan_pool_alloc(uint64_t pool, const void *address, size_t size, const void *stream) ACLSAN_WEAK_;
extern void __aclsan_pool_free(uint64_t pool, const void *address, const void *stream) ACLSAN_WEAK_;
extern void __aclsan_pool_destroy(uint64_t pool) ACLSAN_WEAK_;
extern void __aclsan_epoch(const char *name) ACLSAN_WEAK_;
extern void __aclsan_name_block(const void *address, const char *name) ACLSAN_WEAK_;
extern void __aclsan_snapshot(const char *name) ACLSAN_WEAK_;
extern void __aclsan_ignore_begin(void) ACLSAN_WEAK_;
extern void __aclsan_ignore_end(void) ACLSAN_WEAK_;
extern void __aclsan_category(const void *address, const char *name) ACLSAN_WEAK_;
extern void __aclsan_category_push(const char *name) ACLSAN_WEAK_;
extern void __aclsan_category_pop(void) ACLSAN_WEAK_;
extern int __aclsan_start(void) ACLSAN_WEAK_;
extern int __aclsan_stop(void) ACLSAN_WEAK_;
extern size_t __aclsan_check(void) ACLSAN_WEAK_;

#if defined(__PIC__) || defined(__PIE__)
#define ACLSAN_FOUND_(symbol) (symbol)
#else
/* Without -fPIE the linker resolves an undefined weak symbol to null at link time. The preloaded definition is then looked up by
 * name, once per file. */
extern void *aclsan_dlsym_(void *handle, const char *symbol) __asm__("dlsym") ACLSAN_WEAK_;

static inline void *aclsan_look_up_(void **known, const char *symbol) {
    void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (__builtin_expect(found == NULL, 0)) {
        found = aclsan_dlsym_ ? aclsan_dlsym_(NULL, symbol) : NULL; /* NULL: RTLD_DEFAULT */
        found = found ? found : (void *)known;                      /* itself: not found */
        __atomic_store_n(known, found, __ATOMIC_RELAXED);
    }
    return found == (void *)known ? NULL : found;
}
#define ACLSAN_FOUND_(symbol)                                              \
    (__extension__({                                                       \
        static void *aclsan_known_;                                        \
        (__typeof__(&symbol))aclsan_look_up_(&aclsan_known_, #symbol);     \
    }))
#endif

/* The interface version of the loaded libaclsan.so; 0 if there is none. */
static inline int aclsan_interface(void) {
    int (*call)(void) = ACLSAN_FOUND_(__aclsan_interface);
    return call ? call() : 0;
}

/* Creates a pool over `size` bytes at `address`, which may be a whole block or part of one. With 0 bytes the memory of the pool may
 * be anywhere. A pool over several blocks is several pools of the same name; reports add them up. */
static inline aclsan_pool aclsan_pool_create(const char *name, const void *address, size_t size) {
    uint64_t (*call)(const char *, const void *, size_t) = ACLSAN_FOUND_(__aclsan_pool_create);
    return call ? call(name, address, size) : 0;
}

/* Declares what the pool guarantees: sub-blocks start at multiples of `alignment` and occupy multiples of `rounding` bytes. 0 means
 * no guarantee beyond what AscendCL requires of anyone who suballocates its blocks. */
static inline void aclsan_pool_policy(aclsan_pool pool, size_t alignment, size_t rounding) {
    void (*call)(uint64_t, size_t, size_t) = ACLSAN_FOUND_(__aclsan_pool_policy);
    if (call) call(pool, alignment, rounding);
}

/* The pool has allocated `size` bytes at `address`, in the order of `stream`. */
static inline void aclsan_pool_alloc_on(aclsan_pool pool, const void *address, size_t size, const void *stream) {
    void (*call)(uint64_t, const void *, size_t, const void *) = ACLSAN_FOUND_(__aclsan_pool_alloc);
    if (call) call(pool, address, size, stream);
}

/* The pool is about to free its sub-block at `address`, in the order of `stream`. */
static inline void aclsan_pool_free_on(aclsan_pool pool, const void *address, const void *stream) {
    void (*call)(uint64_t, const void *, const void *) = ACLSAN_FOUND_(__aclsan_pool_free);
    if (call) call(pool, address, stream);
}

/* The same for pools without streams. */
static inline void aclsan_pool_alloc(aclsan_pool pool, const void *address, size_t size) {
    aclsan_pool_alloc_on(pool, address, size, NULL);
}
static inline void aclsan_pool_free(aclsan_pool pool, const void *address) {
    aclsan_pool_free_on(pool, address, NULL);
}

/* Destroys the pool, and with it all of its sub-blocks. */
static inline void aclsan_pool_destroy(aclsan_pool pool) {
    void (*call)(uint64_t) = ACLSAN_FOUND_(__aclsan_pool_destroy);
    if (call) call(pool);
}

/* Marks the beginning of a step: a batch, a request, an iteration. Reports show when each began and how much was
 * live then. */
static inline void aclsan_epoch(const char *name) {
    void (*call)(const char *) = ACLSAN_FOUND_(__aclsan_epoch);
    if (call) call(name);
}

/* Names the live block that contains `address`; reports show the name next to the stack. */
static inline void aclsan_name_block(const void *address, const char *name) {
    void (*call)(const void *, const char *) = ACLSAN_FOUND_(__aclsan_name_block);
    if (call) call(address, name);
}

/* Records how many blocks and bytes are live now. */
static inline void aclsan_snapshot(const char *name) {
    void (*call)(const char *) = ACLSAN_FOUND_(__aclsan_snapshot);
    if (call) call(name);
}

/* Until the matching end, on this thread: blocks allocated are no leaks, and findings are neither printed nor counted. Everything
 * is still recorded, and reports show how much was ignored. Nests. */
static inline void aclsan_ignore_begin(void) {
    void (*call)(void) = ACLSAN_FOUND_(__aclsan_ignore_begin);
    if (call) call();
}
static inline void aclsan_ignore_end(void) {
    void (*call)(void) = ACLSAN_FOUND_(__aclsan_ignore_end);
    if (call) call();
}

/* What memory is for: "weights", "gradients", "optimizer_state", "activations", "kv_cache", "workspace", "communication", "temporary" or
 * "other". Reports, budgets and metrics add up device memory by it. The first gives it to the block, or part of a pool, that contains
 * `address`; between the other two, the blocks and parts that this thread allocates have it. Nests. */
static inline void aclsan_category(const void *address, const char *name) {
    void (*call)(const void *, const char *) = ACLSAN_FOUND_(__aclsan_category);
    if (call) call(address, name);
}
static inline void aclsan_category_push(const char *name) {
    void (*call)(const char *) = ACLSAN_FOUND_(__aclsan_category_push);
    if (call) call(name);
}
static inline void aclsan_category_pop(void) {
    void (*call)(void) = ACLSAN_FOUND_(__aclsan_category_pop);
    if (call) call();
}

/* Stops recording, for the whole process, and starts it again. While it is stopped, new blocks, copies and launches are not recorded;
 * releases of known blocks are. A block that was allocated then is of unknown origin ever after: its release is no finding, and copies
 * to and from it are not checked. `start=paused` in ACLSAN_OPTIONS begins like this. Both return 1 if they changed anything, else 0. */
static inline int aclsan_start(void) {
    int (*call)(void) = ACLSAN_FOUND_(__aclsan_start);
    return call ? call() : 0;
}
static inline int aclsan_stop(void) {
    int (*call)(void) = ACLSAN_FOUND_(__aclsan_stop);
    return call ? call() : 0;
}

/* Checks the guards of live blocks now: those of host memory and of the device that this thread has set. Returns how many were
 * overwritten; each is reported once. 0 if guards are off. */
static inline size_t aclsan_check(void) {
    size_t (*call)(void) = ACLSAN_FOUND_(__aclsan_check);
    return call ? call() : 0;
}

#ifdef __cplusplus
} /* extern "C" */

namespace aclsan {

/* A pool that is destroyed at the end of its scope. */
class pool {
    aclsan_pool id;

  public:
    explicit pool(const char *name, const void *address = nullptr, size_t size = 0)
        : id(aclsan_pool_create(name, address, size)) {}
    pool(pool &&other) noexcept : id(other.id) { other.id = 0; }
    pool(const pool &) = delete;
    pool &operator=(const pool &) = delete;
    ~pool() {
        if (id) aclsan_pool_destroy(id);
    }
    void policy(size_t alignment, size_t rounding) { aclsan_pool_policy(id, alignment, rounding); }
    void alloc(const void *address, size_t size, const void *stream = nullptr) {
        aclsan_pool_alloc_on(id, address, size, stream);
    }
    void free(const void *address, const void *stream = nullptr) { aclsan_pool_free_on(id, address, stream); }
};

/* Ignores what its thread does until the end of the scope. */
class ignored {
  public:
    ignored() { aclsan_ignore_begin(); }
    ignored(const ignored &) = delete;
    ignored &operator=(const ignored &) = delete;
    ~ignored() { aclsan_ignore_end(); }
};

/* Until the end of the scope, what its thread allocates has the category. */
class category {
  public:
    explicit category(const char *name) { aclsan_category_push(name); }
    category(const category &) = delete;
    category &operator=(const category &) = delete;
    ~category() { aclsan_category_pop(); }
};

/* Records until the end of the scope, if recording was stopped. */
class recording {
    int was_stopped;

  public:
    recording() : was_stopped(aclsan_start()) {}
    recording(const recording &) = delete;
    recording &operator=(const recording &) = delete;
    ~recording() {
        if (was_stopped) aclsan_stop();
    }
};

/* Stops recording until the end of the scope, if it was on. */
class paused {
    int was_on;

  public:
    paused() : was_on(aclsan_stop()) {}
    paused(const paused &) = delete;
    paused &operator=(const paused &) = delete;
    ~paused() {
        if (was_on) aclsan_start();
    }
};

} // namespace aclsan
#endif
#endif
