//@ flags: -lmatrixdaemon
// Each by its own, in C; copies from and to the Matrix's memory as host memory; requests that it refuses; memory of unknown origin.
#include "../rt.h"
#include "hiaiengine/c_graph.h"

int main(void) {
    begin();
    char *block = HIAI_DMalloc(1000, 0, 2), *media = HIAI_DVPP_DMalloc(2000), *other = device(1000);
    memset(block, 1, 1000);
    MUST(aclrtMemcpy(other, 1000, block, 1000, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(media, 1000, other, 1000, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("%d %d\n", media[999], HIAI_DMalloc(0, 0, 2) == NULL && HIAI_DMalloc(300 << 20, 0, 2) == NULL);
    MUST(HIAI_DFree(block));
    MUST(HIAI_DVPP_DFree(media));
    MUST(aclrtFree(other));
    void *heap = malloc(64);
    printf("unknown: %d\n", HIAI_DFree(heap) == 0);
    free(heap);
    end();
    return 0;
}
