//@ options: snapshot_signal=USR2
// Nothing is damaged when the signal comes, before, between and after the calls; a signal while a call is under way is for the next one.
#include "../rt.h"
#include <signal.h>

static void ask(void *unused) {
    (void)unused;
    struct sigaction now;
    sigaction(SIGUSR2, NULL, &now);
    if (now.sa_handler != SIG_DFL) {
        raise(SIGUSR2);
    }
}

int main(void) {
    ask(NULL); // AscendCL is not called yet: no listener
    begin();
    ask(NULL);
    char *block = device(1000), *staging = pinned(1000);
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtLaunchHostFunc(stream, ask, NULL)); // on a thread of the runtime's
    MUST(aclrtMemsetAsync(block, 1000, 1, 1000, stream));
    MUST(aclrtSynchronizeStream(stream));
    memset(staging, 1, 1000);
    ask(NULL), ask(NULL);
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtFree(block));
    MUST(aclrtFreeHost(staging));
    end();
    ask(NULL); // no more calls
    return 0;
}
