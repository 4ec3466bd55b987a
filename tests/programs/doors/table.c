//@ flags: -Wl,--as-needed
// The shape of memfabric's DlAclApi: every function by the handle of a library that is opened once, into a table, all or nothing.
#include "door.h"

static void *runtime;
static struct acl api;

static int load(const char *library) {
    const struct {
        void **slot;
        const char *name;
    } rows[] = {
        {(void **)&api.init, "aclInit"},     {(void **)&api.set_device, "aclrtSetDevice"},
        {(void **)&api.malloc, "aclrtMalloc"}, {(void **)&api.free, "aclrtFree"},
        {(void **)&api.reset_device, "aclrtResetDevice"}, {(void **)&api.finalize, "aclFinalize"},
    };
    runtime = dlopen(library, RTLD_NOW);
    for (size_t i = 0; runtime && i < sizeof rows / sizeof *rows; i++) {
        *rows[i].slot = dlsym(runtime, rows[i].name);
        if (!*rows[i].slot) {
            dlclose(runtime);
            runtime = NULL;
        }
    }
    return runtime ? 0 : -1;
}

int main(void) {
    if (load("libascendcl.so") != 0) {
        return puts(dlerror()), 9;
    }
    int status = use(&api);
    dlclose(runtime);
    return status;
}
