//@ options: leak_scan=1
// One block, whose only pointer is in an object that knows itself, in a thread's variable, under one of many keys, on the stack of a context that was
// left, where a function's frame was; or that the destructor of a thread's key releases. What LeakSanitizer's tests distinguish besides: globals with
// and without a value, mapped memory, an array known by its second element, a pointer off its alignment, threads that wait, with the pointer in a
// variable, in a vector register, above a page of the stack that nobody may read, or in what they were started with; threads that have ended.
#define _GNU_SOURCE
#include "../rt.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <ucontext.h>

struct object {
    struct object *self;
    char *block;
};

static __thread char *volatile own;
static ucontext_t here, there;

// What it returns is in no register of its caller's afterwards.
__attribute__((noinline)) static void allocate(char *volatile *place) { *place = device(1000); }

__attribute__((noinline)) static void know_itself(void) {
    struct object *object = malloc(sizeof *object);
    object->self = object;
    allocate((char *volatile *)&object->block);
}

__attribute__((noinline)) static void under_keys(void) {
    pthread_key_t key;
    for (int i = 0; i < 300; i++) MUST(pthread_key_create(&key, NULL));
    struct object *object = calloc(1, sizeof *object);
    allocate((char *volatile *)&object->block);
    MUST(pthread_setspecific(key, object));
}

static void coroutine(void) {
    char *volatile local;
    allocate(&local);
    swapcontext(&there, &here);
    MUST(local == NULL);
}

__attribute__((noinline)) static void in_context(void) {
    enum { STACK = 256 << 10 };
    MUST(getcontext(&there));
    there.uc_stack.ss_sp = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    there.uc_stack.ss_size = STACK;
    makecontext(&there, coroutine, 0);
    MUST(swapcontext(&here, &there));
}

__attribute__((noinline)) static void in_frame(void) {
    char *volatile deep[512];
    allocate(&deep[7]);
}

static void release(void *block) {
    MUST(aclrtSetDevice(0));
    MUST(aclrtFree(block));
}

static void *with_destructor(void *key) {
    MUST(aclrtSetDevice(0));
    MUST(pthread_setspecific(*(pthread_key_t *)key, device(1000)));
    return NULL;
}

#if defined(__x86_64__)
#define KEPT "xmm9"
#define VECTOR(value) "+x"(value)
#elif defined(__aarch64__)
#define KEPT "v9"
#define VECTOR(value) "+w"(value)
#endif

static char *volatile initialized = (char *)1;
static char *volatile zeroed;
static sem_t ready, never;

static void mapped(void) {
    char *volatile *place = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    allocate(place + 11);
}

// As an array of C++ with its length in front of it.
__attribute__((noinline)) static void in_array(void) {
    static char *volatile *volatile elements;
    elements = (char *volatile *)calloc(4, sizeof *elements) + 1;
    allocate(elements);
}

__attribute__((noinline)) static void off_alignment(void) {
    static char bytes[64] __attribute__((aligned(16)));
    char *volatile block;
    allocate(&block);
    memcpy(bytes + 3, (char *)&block, sizeof block);
    block = NULL;
}

static void *has_variable(void *unused) {
    MUST(aclrtSetDevice(0));
    allocate(&own);
    MUST(sem_post(&ready));
    sem_wait(&never);
    return unused;
}

__attribute__((noinline)) static void forget(void) {
    char deep[16384];
    memset(deep, 0, sizeof deep);
    __asm__ volatile("" : : "r"(deep) : "memory");
}

union bits {
    char *pointer;
    double number;
};

static void *has_vector(void *unused) {
    MUST(aclrtSetDevice(0));
    char *volatile place;
    allocate(&place);
    register double kept __asm__(KEPT) = ((union bits){.pointer = place}).number;
    place = NULL;
    __asm__ volatile("" : VECTOR(kept));
    forget();
    sem_post(&ready);
    for (;;) __asm__ volatile("" : VECTOR(kept));
    return unused;
}

static void *has_guard(void *unused) {
    enum { PAGE = 65536 };
    MUST(aclrtSetDevice(0));
    char *volatile block;
    allocate(&block);
    char *volatile deep = __builtin_alloca(8 * PAGE);
    uintptr_t page = ((uintptr_t)deep + PAGE) / PAGE * PAGE;
    MUST(mprotect((void *)page, PAGE, PROT_NONE));
    MUST(sem_post(&ready));
    sem_wait(&never);
    return block == unused ? NULL : (void *)block;
}

static void *given(void *block) {
    memset(&block, 0, 0);
    sem_wait(&never);
    return block;
}

static void start(void *(*function)(void *), void *argument, int waits) {
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, function, argument));
    if (waits) MUST(sem_wait(&ready));
    forget();
}

__attribute__((noinline)) static void start_with_block(void) {
    char *volatile block;
    allocate(&block);
    start(given, block, 0);
    block = NULL;
}

static void *ends(void *unused) { return unused; }

static void lose_among_threads(void) {
    for (int i = 0; i < 40; i++) {
        pthread_t thread;
        MUST(pthread_create(&thread, NULL, ends, NULL));
        MUST(pthread_detach(thread));
    }
    char *volatile block;
    allocate(&block);
    block = NULL;
}

int main(int count, char **arguments) {
    const char *way = count > 1 ? arguments[1] : "";
    begin();
    MUST(sem_init(&ready, 0, 0) || sem_init(&never, 0, 0));
    if (!strcmp(way, "initialized")) allocate(&initialized);
    if (!strcmp(way, "zeroed")) allocate(&zeroed);
    if (!strcmp(way, "mapped")) mapped();
    if (!strcmp(way, "array")) in_array();
    if (!strcmp(way, "unaligned")) off_alignment();
    if (!strcmp(way, "thread's variable")) start(has_variable, NULL, 1);
    if (!strcmp(way, "vector")) start(has_vector, NULL, 1);
    if (!strcmp(way, "guard")) start(has_guard, NULL, 1);
    if (!strcmp(way, "argument")) start_with_block();
    if (!strcmp(way, "detached")) lose_among_threads();
    if (!strcmp(way, "self")) know_itself();
    if (!strcmp(way, "variable")) allocate(&own);
    if (!strcmp(way, "keys")) under_keys();
    if (!strcmp(way, "context")) in_context();
    if (!strcmp(way, "frame")) in_frame();
    if (!strcmp(way, "destructor")) {
        pthread_t thread;
        pthread_key_t key;
        MUST(pthread_key_create(&key, release));
        MUST(pthread_create(&thread, NULL, with_destructor, &key));
        MUST(pthread_join(thread, NULL));
    }
    return 0;
}
