// Attaches the library of its first argument to itself, twice, and detaches it each time. Between that, it calls the runtime in all ways,
// also from the plugin of its second argument.
#include "../rt.h"
#include <dlfcn.h>

typedef int (*Attach)(const char *options, char *answer, size_t size);
typedef int (*Detach)(char *answer, size_t size);
typedef int (*Malloc)(void **block, size_t size, int policy);
typedef int (*Free)(void *block);

static char answer[4096];
static Attach attach_to;
static Detach detach_from;

static void attach(const char *options) {
    int status = attach_to(options, answer, sizeof answer);
    printf("attach: %s\n", status == 0 ? "done" : answer);
}

static void detach(void) {
    int status = detach_from(answer, sizeof answer);
    printf("detach: %s\n", status == 0 ? "done" : answer);
}

// Pointers in tables and in a global offset table are bound as the program starts, calls perhaps later.
static Malloc volatile in_table = (Malloc)aclrtMalloc;

// One that the program assigns is its own, whatever its first value was.
static int pieces;

static int piece(void **block, size_t size, int policy) {
    static char all[4096];
    (void)policy;
    pieces++;
    *block = size <= sizeof all ? all : NULL;
    return *block == NULL;
}

static Malloc volatile replaced = (Malloc)aclrtMalloc;

// A block with a guard behind it outlives the watch; its memory is used again, also where the guard was.
static void outlives(void) {
    attach("mode=check:guard=rear:quiet=0");
    char *block = device(4000);
    detach();
    MUST(aclrtFree(block));
    block = device(8000);
    MUST(aclrtMemset(block, 8000, 1, 8000));
}

static void pairs(int count) {
    for (int i = 0; i < count; i++) MUST(aclrtFree(device(4096)));
}

static void pair_by(Malloc allocate, Free release) {
    void *block = NULL;
    MUST(allocate(&block, 64, 0));
    MUST(release(block));
}

static int (*open_plugin(const char *path))(void) {
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return plugin == NULL ? NULL : (int (*)(void))dlsym(plugin, "routine");
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    begin();
    replaced = piece;
    char *old = device(1 << 20), *kept = device(1 << 20);
    Malloc fetched = (Malloc)dlsym(RTLD_DEFAULT, "aclrtMalloc");
    pairs(3);
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        printf("%s\n", dlerror());
        return 1;
    }
    attach_to = (Attach)dlsym(library, "aclsan_attach");
    detach_from = (Detach)dlsym(library, "aclsan_detach");
    pairs(3);
    detach();
    attach("guard=both");
    attach("nothing=1");
    attach("stack_depth=8");
    attach("");
    pairs(10);
    pair_by(in_table, aclrtFree);
    pair_by((Malloc)dlsym(RTLD_DEFAULT, "aclrtMalloc"), (Free)dlsym(RTLD_DEFAULT, "aclrtFree"));
    void *own = NULL;
    MUST(replaced(&own, 64, 0));
    if (pieces != 1) return 1;
    int (*routine)(void) = open_plugin(arguments[2]);
    if (routine == NULL) return 1;
    MUST(routine());
    // Of unknown origin: no finding, whatever is done with it.
    char host[64] = {0};
    MUST(aclrtMemcpy(old, 1 << 20, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtFree(old));
    if (fetched == NULL) return 1;
    char *live = device(8192);
    detach();
    pairs(5);
    MUST(routine());
    MUST(aclrtFree(live));
    live = device(8192);
    attach("");
    pairs(7);
    MUST(routine());
    MUST(aclrtFree(live));
    MUST(aclrtFree(kept));
    detach();
    detach();
    outlives();
    end();
    return 0;
}
