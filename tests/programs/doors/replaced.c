// A library is closed and another opened at the same place; their paths and functions are the arguments.
#include "../rt.h"
#include <dlfcn.h>

static void *run(const char *path, const char *routine) {
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        puts(dlerror());
        exit(9);
    }
    int (*call)(void) = (int (*)(void))dlsym(plugin, routine);
    MUST(call());
    dlclose(plugin);
    return (void *)call;
}

int main(int argc, char **argv) {
    begin();
    MUST(aclrtFree(device(64)));
    void *first = run(argv[1], argv[2]);
    void *second = run(argv[3], argv[4]);
    puts(first == second ? "same place" : "another place");
    end();
    return argc != 5;
}
