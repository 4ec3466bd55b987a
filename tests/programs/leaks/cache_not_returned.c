// Two caching allocators whose tensors are all gone at the end: one in the shape of torch_npu, one of the program's own. And one with a tensor that
// is not.
#include "../rt.h"
#include "../annotations/mstx.h"
#include "aclsan.h"

enum { SEGMENT = 2 << 20, TENSOR = 4096 };

static char *segments[2];

static char *tensor(mstxDomainHandle_t cache, int segment, int number) {
    if (!segments[segment]) segments[segment] = device(SEGMENT);
    char *place = segments[segment] + number * 2 * TENSOR;
    careless_alloc(cache, place, TENSOR, 2 * SEGMENT);
    return place;
}

static char *forgotten(aclsan_pool pool, char *arena) {
    aclsan_pool_alloc(pool, arena + 1024, 640);
    return arena + 1024;
}

int main(void) {
    begin();
    mstxDomainHandle_t cache = mstxDomainCreateA("ptaCaching");
    for (int step = 0; step < 3; step++)
        for (int segment = 0; segment < 2; segment++) free_by_pointer(cache, tensor(cache, segment, step));

    char *arena = device(65536);
    aclsan_pool scratch = aclsan_pool_create("scratch", arena, 65536);
    aclsan_pool_alloc(scratch, arena, 512);
    aclsan_pool_free(scratch, arena);

    char *weights = device(65536);
    forgotten(aclsan_pool_create("weights", weights, 65536), weights);
    end();
    return 0;
}
