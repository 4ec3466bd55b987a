// Ordinary host memory is given to device releases.
#include "../rt.h"

static char global[64];

int main(void) {
    char local[64];
    begin();
    char *heap = malloc(64);
    aclrtFree(local);
    aclrtFree(heap);
    aclrtFree(global);
    acldvppFree(local);
    aclrtFreeHost(local);
    free(heap);
    end();
    return 0;
}
