//@ options: leak_scan=1
// One block, whose only pointer is in an object that knows itself, in a thread's variable, under one of many keys, on the stack of a context that was
// left, where a function's frame was; or that the destructor of a thread's key releases.
#define _GNU_SOURCE
#include "../rt.h"

#include <pthread.h>
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

int main(int count, char **arguments) {
    const char *way = count > 1 ? arguments[1] : "";
    begin();
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
