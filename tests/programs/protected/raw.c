//@ env: ACLSIM_STREAM_DELAY_US=3000
// A system call that reaches protected memory by an address inside its own arguments: libc does not know that it is one.
#define _GNU_SOURCE
#include "aclsan.h"
#include "protected.h"
#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>

int main(void) {
    start();
    int ends[2];
    MUST(pipe(ends));
    struct iovec part = {arriving(N), 16};
    long written = syscall(SYS_writev, ends[1], &part, 1);
    printf("%s\n", written == 16 ? "written" : errno == EFAULT ? "refused" : "other");
    MUST(aclrtSynchronizeStream(work));
    printf("%ld\n", syscall(SYS_writev, ends[1], &part, 1));
    part.iov_base = arriving(N);
    aclsan_stop(); /* Nobody follows the copy any more. */
    printf("%ld\n", syscall(SYS_writev, ends[1], &part, 1));
    aclsan_start();
    finish();
    return 0;
}
