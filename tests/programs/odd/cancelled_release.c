// Threads are cancelled while they release: inside the calls with which a tool takes a block's memory back, none of which the program makes.
// What a thread leaves behind must stop nobody, and each block's memory goes back once.
#include "odd.h"
#include <dlfcn.h>
#include <pthread.h>

enum { BLOCKS = 8 };

static const char *wanted; /* the call to be cancelled in */
static int was_there, unmapped, freed;

static void inside(const char *call) {
    unmapped += strcmp(call, "aclrtUnmapMem") == 0;
    freed += strcmp(call, "aclrtFreePhysical") == 0;
    if (wanted != NULL && strcmp(call, wanted) == 0) {
        wanted = NULL;
        was_there++;
        pthread_cancel(pthread_self());
        pthread_testcancel();
    }
}

static void *block(void) {
    void *made = NULL;
    if (aclrtMalloc(&made, 512, ACL_MEM_MALLOC_HUGE_FIRST) != 0) {
        puts("no block");
    }
    return made;
}

static void *release(void *block) {
    aclrtSetDevice(0);
    printf("released: %d\n", aclrtFree(block));
    pthread_testcancel();
    return NULL;
}

int main(void) {
    static const char *const calls[] = {"aclrtUnmapMem", "aclrtFreePhysical"};
    *(void (**)(const char *))dlsym(RTLD_DEFAULT, "odd_inside") = inside;
    aclrtSetDevice(0);
    for (int i = 0; i < BLOCKS; i++) {
        pthread_t thread;
        void *result = NULL, *given = block();
        wanted = calls[i % 2];
        pthread_create(&thread, NULL, release, given);
        pthread_join(thread, &result);
        puts(result == PTHREAD_CANCELED ? "cancelled" : "ended");
        wanted = NULL;
        printf("released: %d\n", aclrtFree(block())); /* Under whatever lock the thread was. */
    }
    fprintf(stderr, "cancelled in %d, unmapped %d, freed %d\n", was_there, unmapped, freed);
    return 0;
}
