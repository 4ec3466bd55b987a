//@ options: libc_free=1
// A block that is given to `delete[]`, which gives it to libc.
#include "../rt.h"
#include <csetjmp>
#include <csignal>

static sigjmp_buf before;

static void survive(int) {
    siglongjmp(before, 1);
}

int main() {
    begin();
    signal(SIGSEGV, survive);
    char *volatile block = device(400);
    if (sigsetjmp(before, 1) == 0) {
        delete[] block;
    }
    MUST(aclrtFree(block));
    end();
    return 0;
}
