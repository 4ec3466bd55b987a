// How much address space is left to a program whose limit is 8 GiB: whether it gets 6, in pieces of 64 MiB.
#include "odd.h"

int main(void) {
    int pieces = 0;
    void *block = NULL;
    aclInit(NULL);
    aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    while (pieces < 96 && mmap(NULL, 64 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED) {
        pieces++;
    }
    aclrtFree(block);
    printf("%d pieces\n", pieces);
    return 0;
}
