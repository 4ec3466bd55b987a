// Leaks at 40 places, and leaves a standard error that does not block and, if it is a pipe, holds one page.
#include "odd.h"
#include <fcntl.h>

#define PLACE(number)                                              \
    __attribute__((noinline, noclone)) static void place##number(void) { \
        void *block = NULL;                                        \
        aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST);      \
    }
#define EIGHT(of, n) of(n##0) of(n##1) of(n##2) of(n##3) of(n##4) of(n##5) of(n##6) of(n##7)
#define ALL(of) EIGHT(of, 1) EIGHT(of, 2) EIGHT(of, 3) EIGHT(of, 4) EIGHT(of, 5)
#define CALL(number) place##number();

ALL(PLACE)

int main(void) {
    fcntl(STDERR_FILENO, F_SETPIPE_SZ, 4096);
    fcntl(STDERR_FILENO, F_SETFL, fcntl(STDERR_FILENO, F_GETFL) | O_NONBLOCK);
    aclInit(NULL);
    aclrtSetDevice(0);
    ALL(CALL)
    return 0;
}
