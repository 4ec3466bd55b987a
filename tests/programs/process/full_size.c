// One error, when no file may grow beyond 100 KiB any more: stderr is a longer one.
#include "process.h"
#include <sys/resource.h>

int main(void) {
    begin();
    char *block = device(64);
    MUST(aclrtFree(block));
    struct rlimit limit = {100 << 10, 100 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    aclrtFree(block);
    puts("after");
    end();
    return 0;
}
