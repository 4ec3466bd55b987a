// Started with stderr closed: its own file gets that number. Findings must not be written into it.
#include "process.h"

int main(void) {
    int file = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
    begin();
    char *block = device(64);
    MUST(aclrtFree(block));
    aclrtFree(block);
    end();
    struct stat status;
    fstat(file, &status);
    printf("descriptor %d, %lld bytes\n", file, (long long)status.st_size);
    return 0;
}
