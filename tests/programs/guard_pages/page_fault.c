//@ options: guard=page
// A kernel runs over the end of a block; another runs after its block's release; a third reads past the end.
#include "launch.h"

int main(void) {
    begin();
    MUST(aclrtFree(device(64)));
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    char *row = device(992), *next = device(1000);
    launch(zero, row, 1000, stream);      // in the rounding
    launch(zero, row, 1056, stream);      // rounded to 992 + 32 = 1024, which is where the page ends
    (void)aclrtSynchronizeStream(stream); // page-fault: an overrun; slack-write
    launch(zero, next, 1000, stream);
    launch(sum, next, 1000, stream);
    MUST(aclrtFree(next)); // waits for nothing; the kernels may be done or not
    launch(sum, next, 1000, stream);
    (void)aclrtSynchronizeDevice(); // page-fault: used after its release
    char *last = device(992);
    launch(sum, last, 1100, stream);
    (void)aclrtSynchronizeStream(stream); // page-fault: it may have left the block: a read leaves no trace
    launch(zero, last, 1100, stream);
    static char host[64]; // pageable: the copy waits for the kernel, and answers for it
    (void)aclrtMemcpyAsync(row, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream); // page-fault: an overrun
    MUST(aclrtFree(last));
    MUST(aclrtFree(row));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
