// Eight threads that allocate, copy there and back, release, use malloc, and open and close the library of the first argument; the main thread answers
// each line of its standard input with the numbers of allocations that were begun and that are done, and of copies that came back wrong.
#include "../rt.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 8, SIZE = 4096 };

static atomic_ulong begun, done, wrong;
static atomic_bool is_over;
static const char *library;

static void allocate(void) {
    char there[64], back[64] = {0};
    unsigned long number = atomic_fetch_add(&begun, 1);
    memset(there, (int)(number % 255 + 1), sizeof there);
    char *block = device(SIZE);
    atomic_fetch_add(&done, 1);
    MUST(aclrtMemcpy(block, SIZE, there, sizeof there, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(back, sizeof back, block, sizeof back, ACL_MEMCPY_DEVICE_TO_HOST));
    if (memcmp(there, back, sizeof there) != 0) atomic_fetch_add(&wrong, 1);
    MUST(aclrtFree(block));
}

static void open_and_close(void) {
    void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (opened == NULL) exit(8);
    dlclose(opened);
}

static void *work(void *number) {
    MUST(aclrtSetDevice(0));
    for (size_t i = (size_t)number; !atomic_load(&is_over); i++) {
        allocate();
        volatile char *scratch = malloc(100 + i % 200000);
        scratch[0] = 1;
        free((void *)scratch);
        if (i % 64 == 0) open_and_close();
    }
    MUST(aclrtResetDevice(0));
    return NULL;
}

int main(int count, char **arguments) {
    if (count < 2) return 2;
    library = arguments[1];
    begin();
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        unsigned long ended = atomic_load(&done);
        printf("%lu %lu %lu\n", atomic_load(&begun), ended, atomic_load(&wrong));
        fflush(stdout);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    end();
    return 0;
}
