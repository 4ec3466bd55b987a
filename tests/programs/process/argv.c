// The program may change its copy of argv: an entry points to memory that is freed by the first call.
#include "acl/acl.h"
#include <stdio.h>
#include <sys/mman.h>

int main(int argc, char **argv) {
    void *gone = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(gone, 4096);
    argv[argc - 1] = gone;
    printf("%d\n", aclInit(NULL) + aclFinalize());
    return 0;
}
