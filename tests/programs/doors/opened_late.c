/* The shim, opened by a running program from one of its threads; the others use it before, while and after it is closed again. */
#include "acl/acl.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS 8

typedef aclError Malloc(void **, size_t, aclrtMemMallocPolicy);
typedef aclError Free(void *);
typedef int Interface(void);

static void *shim;
static Malloc *allocate;
static Free *release;
static int failed;

static void *use(void *nothing)
{
    void *block = NULL;
    if (aclrtSetDevice(0) || allocate(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST) || release(block))
        __atomic_add_fetch(&failed, 1, __ATOMIC_RELAXED);
    return nothing;
}

static void *open_it(void *path)
{
    shim = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!shim) return puts(dlerror()), NULL;
    allocate = (Malloc *)dlsym(shim, "aclrtMalloc");
    release = (Free *)dlsym(shim, "aclrtFree");
    return path;
}

int main(int count, char **arguments)
{
    pthread_t threads[THREADS];
    void *opened = NULL;
    if (count != 2 || aclInit(NULL)) return 2;
    pthread_create(threads, NULL, open_it, arguments[1]);
    pthread_join(threads[0], &opened);
    if (!opened || !allocate || !release) return 3;
    Interface *interface = (Interface *)dlsym(shim, "__aclsan_interface");
    for (int at = 0; at < THREADS; at++) pthread_create(&threads[at], NULL, use, NULL);
    for (int at = 0; at < THREADS; at++) pthread_join(threads[at], NULL);
    dlclose(shim);
    printf("%d threads, %d failed; closed, and %s\n", THREADS, failed, interface && interface() > 0 ? "still there" : "gone");
    return 0;
}
