// An allocating library is repeatedly loaded, called, and unloaded with its blocks still live, while threads allocate and stacks
// are looked up. The arguments: two copies of it, which reuse each other's addresses, and how often.
#include "../process/process.h"
#include <dlfcn.h>

static _Atomic int stopping;

static void work(void) {
    pairs(1);
}

static void *allocate(void *seed) {
    MUST(aclrtSetDevice(0));
    for (unsigned path = (unsigned)(uintptr_t)seed; !stopping; path = path * 1103515245u + 12345u) {
        descend(12, path >> 8, work);
    }
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[2];
    int count = argc > 3 ? atoi(argv[3]) : 1;
    begin();
    for (uintptr_t i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, allocate, (void *)(i + 1));
    }
    for (int i = 0; i < count; i++) {
        void *library = dlopen(argv[1 + i % 2], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        void *(*plugin_allocate)(size_t) = (void *(*)(size_t))dlsym(library, "plugin_allocate");
        int (*plugin_release)(void *) = (int (*)(void *))dlsym(library, "plugin_release");
        void *block = plugin_allocate(3000);
        MUST(plugin_release(plugin_allocate(3001)));
        MUST(dlclose(library));
        MUST(aclrtFree(block));
        alarm(60);
    }
    stopping = 1;
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    end();
    puts("unloaded");
    return 0;
}
