//@ options: guard=page
// The program has a function called when a task fails: the finding comes before it, and the wait tells nothing twice.
#include "callback.h"

int main(void) {
    begin();
    MUST(aclrtFree(device(64)));
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtSetExceptionInfoCallback(told)); // prints to stderr alone: without aclsan nothing fails
    char *row = device(1000);
    pthread_mutex_lock(&gate); // the kernel runs after the release
    launch(late_sum, row, 1000, stream);
    MUST(aclrtFree(row));
    pthread_mutex_unlock(&gate);
    (void)aclrtSynchronizeStream(stream); // reported before: page-fault, used after its release
    char *next = device(992);
    pthread_mutex_lock(&gate);
    launch(late_sum, next, 1100, stream);
    pthread_mutex_unlock(&gate);
    (void)aclrtSynchronizeDevice(); // reported before: page-fault, it may have left the block
    pthread_mutex_lock(&gate);
    launch(late_zero, next, 1100, stream);
    pthread_mutex_unlock(&gate);
    (void)aclrtSynchronizeStream(stream); // reported before, as above; the pattern says more: page-fault, an overrun
    MUST(aclrtFree(next));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
