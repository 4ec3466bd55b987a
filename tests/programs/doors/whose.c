//@ flags: -Wl,--no-as-needed
// Which file the runtime's functions lie in, as linked and as looked up, and which file other functions lie in.
#include "door.h"
#include <link.h>
#include <string.h>

static const char *file(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void tell(const char *what, void *address) {
    Dl_info info = {0}, again = {0};
    const ElfW(Sym) *symbol = NULL;
    if (!dladdr(address, &info) || !dladdr1(address, &again, (void **)&symbol, RTLD_DL_SYMENT)) {
        printf("%s: nowhere\n", what);
        return;
    }
    int is_same = strcmp(info.dli_fname, again.dli_fname) == 0 && info.dli_saddr == again.dli_saddr;
    printf("%s: %s in %s, %s, %s\n", what, info.dli_sname ? info.dli_sname : "no name", file(info.dli_fname),
           is_same ? "twice the same" : "different", symbol && symbol->st_size ? "with a symbol" : "without");
}

int main(void) {
    void *handle = dlopen("libascendcl.so", RTLD_LAZY | RTLD_LOCAL);
    tell("linked", (void *)aclrtMalloc);
    tell("by handle", dlsym(handle, "aclrtFree"));
    tell("everywhere", dlsym(RTLD_DEFAULT, "aclrtMemcpy"));
    tell("another's", dlsym(RTLD_DEFAULT, "puts"));
    tell("nobody's", (void *)8);
    return 0;
}
