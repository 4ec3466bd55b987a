//@ flags: -lnnopbase
// Executors out of the cache, of two sizes in turn, often at the address of one that has ended: each gets the workspace that it needs.
#include "cached.h"

int main(void) {
    begin();
    opapi = dlopen("libopapi.so", RTLD_LAZY | RTLD_LOCAL);
    if (opapi == NULL) return puts(dlerror()), 9;
    aclrtStream queue = stream();
    float *a = floats(256), *b = floats(256), *c = floats(256);
    char *small = device(512), *large = device(1024);
    for (int round = 0; round < 20; round++) {
        aclOpExecutor *executor;
        uint64_t need;
        int is_small = round % 2;
        if (product(a, round < 10 ? b : c, is_small ? 8 : 16, &executor, &need) != (round >= 2)) return 8;
        if (need != (is_small ? 512 : 1024)) return 7;
        run(executor, is_small ? small : large, need, queue);
    }
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtFree(a));
    MUST(aclrtFree(b));
    MUST(aclrtFree(c));
    MUST(aclrtFree(small));
    MUST(aclrtFree(large));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
