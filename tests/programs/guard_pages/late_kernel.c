//@ options: guard=page
// A kernel without named arguments runs after the release of its memory: the release is reported as uncertain.
#include "launch.h"

static char *hidden;

static void late(void *unused) {
    char byte;
    (void)unused;
    aclsimLoad(hidden, &byte, 1);
}

int main(void) {
    begin();
    MUST(aclrtFree(device(64)));
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    hidden = device(1000);
    MUST(aclrtLaunchKernelWithHostArgs((void *)late, 1, stream, NULL, &(long){0}, sizeof(long), NULL, 0));
    MUST(aclrtSynchronizeStream(stream)); // done: innocent
    char *other = device(1000);
    launch(sum, other, 1000, stream);
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtFree(other)); // after its work: not named
    MUST(aclrtLaunchKernelWithHostArgs((void *)sum, 1, stream, NULL, &(struct range){NULL, 0}, sizeof(struct range), NULL, 0));
    MUST(aclrtFree(hidden));
    MUST(aclrtLaunchKernelWithHostArgs((void *)late, 1, stream, NULL, &(long){0}, sizeof(long), NULL, 0));
    (void)aclrtSynchronizeStream(stream); // page-fault, as a warning
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
