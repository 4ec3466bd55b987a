// A second thread opens the library of the first argument, whose constructor takes its time; the main thread reads lines until there are no more.
#include "../rt.h"
#include <dlfcn.h>
#include <pthread.h>

static void *load(void *path) {
    return dlopen(path, RTLD_NOW);
}

int main(int count, char **arguments) {
    pthread_t thread;
    void *opened = NULL;
    char line[64];
    if (count < 2) return 2;
    begin();
    pthread_create(&thread, NULL, load, arguments[1]);
    while (fgets(line, sizeof line, stdin) != NULL) {
    }
    pthread_join(thread, &opened);
    end();
    return opened == NULL;
}
