//@ flags: -Wl,--no-as-needed
// The shape of MindSpore: the runtime's folder is that of the file that contains `aclrtMalloc`; the runtime is opened from there,
// privately and by its full path, and every function looked up by that handle.
#include "door.h"
#include <string.h>

#define ORIGIN_METHOD(name) dlsym(handle, name)

int main(void) {
    Dl_info info;
    if (!dladdr((void *)aclrtMalloc, &info)) {
        return 9;
    }
    const char *end = strrchr(info.dli_fname, '/');
    char path[4096];
    snprintf(path, sizeof path, "%.*s/libascendcl.so", end ? (int)(end - info.dli_fname) : 0, info.dli_fname);
    void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
        return printf("get ascend path failed: %s\n", dlerror()), 9;
    }
    struct acl acl = ACL_FROM(ORIGIN_METHOD);
    return use(&acl);
}
