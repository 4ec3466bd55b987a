// One error, in the middle of what the program prints.
#include "process.h"

int main(void) {
    puts("before");
    fflush(stdout);
    begin();
    char *block = device(64);
    MUST(aclrtFree(block));
    aclrtFree(block);
    puts("after");
    end();
    return 0;
}
