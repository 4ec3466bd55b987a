// Something like a training run, for a page with 200,000 events (two million with -DSTEPS=500): weights that stay, activations that come and
// go, pinned batches, a cache that grows, a request that no device can fill, and epochs.
#include <stdlib.h>

#include "acl/acl.h"
#include "aclsan.h"

#ifndef STEPS
#define STEPS 50
#endif

enum { LAYERS = 40, SCRATCH = 1000 };

static unsigned state = 12345;

static size_t some(size_t least, size_t most) {
    state = state * 1103515245u + 12345u;
    return least + (state >> 8) % (most - least);
}

static void *take(size_t size) {
    void *block = NULL;
    if (aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) return NULL;
    return block;
}

static void load_weights(void **weights) {
    for (int layer = 0; layer < LAYERS; layer++) weights[layer] = take(some(1 << 20, 6 << 20));
}

static void forward(void **activations) {
    for (int layer = 0; layer < LAYERS; layer++) {
        activations[layer] = take(some(256 << 10, 2 << 20));
        for (int n = 0; n < SCRATCH / LAYERS * 2; n++) aclrtFree(take(some(512, 64 << 10)));
    }
}

static void backward(void **activations) {
    for (int layer = LAYERS; layer-- > 0;) aclrtFree(activations[layer]);
}

// An arena of which the program cuts its own buffers, two for a step, and gives one back at once.
static void exchange(aclsan_pool pool, char *arena, void *batch, void *weights) {
    static char labels[4096];
    aclsan_pool_alloc(pool, arena, 4096);
    aclsan_pool_alloc(pool, arena + 8192, 4096);
    aclrtMemcpy(weights, 1 << 20, batch, 1 << 20, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemcpy(arena, 4096, labels, 4096, ACL_MEMCPY_HOST_TO_DEVICE);
    aclsan_pool_free(pool, arena);
    aclsan_pool_free(pool, arena + 8192);
}

// A table that lasts as long as the process, by design.
static void keep_table(void) {
    aclsan_ignore_begin();
    (void)take(3 << 20);
    aclsan_ignore_end();
}

static void remember_metrics(void) { (void)take(some(32 << 10, 200 << 10)); }

int main(void) {
    void *weights[LAYERS], *activations[LAYERS], *batch = NULL;
    char name[] = "step 000";
    aclInit(NULL);
    aclrtSetDevice(0);
    load_weights(weights);
    keep_table();
    void *arena = take(1 << 20);
    aclsan_pool pool = aclsan_pool_create("exchange", arena, 1 << 20);
    for (int step = 0; step < STEPS; step++) {
        for (int digit = 7, rest = step; digit > 4; digit--, rest /= 10) name[digit] = (char)('0' + rest % 10);
        aclsan_epoch(name);
        aclrtMallocHost(&batch, some(1 << 20, 4 << 20));
        exchange(pool, arena, batch, weights[0]);
        forward(activations);
        if (step % 9 == 4) (void)take((size_t)1 << 50);
        backward(activations);
        remember_metrics();
        aclrtFreeHost(batch);
    }
    aclsan_pool_destroy(pool);
    aclrtFree(arena);
    aclrtFree(activations[0]);
    for (int layer = 0; layer < LAYERS; layer++) aclrtFree(weights[layer]);
    aclrtResetDevice(0);
    return aclFinalize();
}
