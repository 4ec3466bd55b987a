//@ options: leak_scan=1
// Four blocks that only objects on the heap know: two whose object is reachable, two whose object is lost. The objects are small, in a chain, in a
// cycle, large, aligned, of another thread's arena, known by an address inside them, by a thread's key, by a live frame; or nobody can tell, since the
// program moved the end of the heap itself.
#define _GNU_SOURCE
#include "../rt.h"

#include <pthread.h>
#include <unistd.h>

struct object {
    long other[3];
    char *block;
    struct object *next;
};

static void *volatile known[2];

__attribute__((noinline)) static struct object *make(size_t bytes) {
    struct object *object = NULL;
    MUST(posix_memalign((void **)&object, bytes % 4096 == 0 ? 4096 : 16, bytes));
    memset(object, 0, sizeof *object);
    object->block = device(64);
    return object;
}

// A thread's own arena, since it is not the first thread.
static void *make_there(void *unused) {
    MUST(aclrtSetDevice(0));
    return unused == NULL ? make(sizeof(struct object)) : NULL;
}

__attribute__((noinline)) static void *object_of(const char *way) {
    struct object *object;
    if (!strcmp(way, "thread")) {
        pthread_t thread;
        MUST(pthread_create(&thread, NULL, make_there, NULL));
        MUST(pthread_join(thread, (void **)&object));
        return object;
    }
    object = make(!strcmp(way, "large") ? 1 << 20 : !strcmp(way, "aligned") ? 8192 : sizeof *object);
    if (!strcmp(way, "chain")) {
        struct object *first = calloc(1, sizeof *first);
        first->next = object;
        return first;
    }
    if (!strcmp(way, "cycle")) {
        struct object *second = calloc(1, sizeof *second);
        second->next = object;
        object->next = second;
    }
    return !strcmp(way, "inside") ? (void *)object->other + 9 : (void *)object;
}

__attribute__((noinline)) static void lose(const char *way) {
    for (volatile int i = 0; i < 2; i++) memset(object_of(way), 0, 0);
}

__attribute__((noinline)) static void leave(void) {
    void *volatile own[2];
    for (volatile int i = 0; i < 2; i++) own[i] = object_of("frame");
    exit(own[0] == own[1]);
}

int main(int count, char **arguments) {
    const char *way = count > 1 ? arguments[1] : "";
    begin();
    if (!strcmp(way, "brk")) MUST(sbrk(4096) == (void *)-1);
    lose(way);
    if (!strcmp(way, "frame")) leave();
    pthread_key_t keys[2];
    for (volatile int i = 0; i < 2; i++) {
        if (!strcmp(way, "key")) {
            MUST(pthread_key_create(&keys[i], NULL));
            MUST(pthread_setspecific(keys[i], object_of(way)));
        } else {
            known[i] = object_of(way);
        }
    }
    end();
    return 0;
}
