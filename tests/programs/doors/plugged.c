//@ flags: -Wl,--as-needed
// A plugin that is opened privately, as Python opens extension modules, uses an AscendCL that the program itself does not. Its path is the
// argument.
#include "door.h"

int main(int argc, char **argv) {
    void *plugin = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
    int (*plugged)(void) = plugin ? (int (*)(void))dlsym(plugin, "plugged") : NULL;
    return plugged ? plugged() : puts(dlerror());
}
