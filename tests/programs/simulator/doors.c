//@ run
/* Reaches the runtime as ctypes and MindSpore do, and tells which names it exports.
 * The test compares the output of each topology with what it must have. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    static const char *const names[] = {"aclrtMalloc", "aclrtMallocImpl", "aclAppLog", "rtMalloc", "rtDvppMalloc"};
    static const char *const libraries[] = {"libascendcl.so", "libacl_rt.so", "libacl_rt_impl.so", "libruntime.so",
                                            "libacl_dvpp.so"};
    for (unsigned l = 0; l < sizeof libraries / sizeof *libraries; l++) {
        void *handle = dlopen(libraries[l], RTLD_NOW | RTLD_LOCAL);
        printf("%s:", libraries[l]);
        for (unsigned n = 0; handle && n < sizeof names / sizeof *names; n++) {
            void *found = dlsym(handle, names[n]);
            Dl_info info;
            /* dlsym also looks into what the library needs; only its own counts. */
            if (found && dladdr(found, &info) && strstr(info.dli_fname, libraries[l])) {
                printf(" %s", names[n]);
            }
        }
        printf(handle ? "\n" : " absent\n");
    }
    void *handle = dlopen("libascendcl.so", RTLD_LAZY | RTLD_LOCAL);
    int (*set)(int) = (int (*)(int))dlsym(handle, "aclrtSetDevice");
    int (*allocate)(void **, size_t, int) = (int (*)(void **, size_t, int))dlsym(handle, "aclrtMalloc");
    void *p;
    return set(0) || allocate(&p, 100, 0);
}
