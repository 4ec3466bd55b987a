//@ options: guard=both:snapshot_signal=USR2
// A signal asks for a look at all guards; the next call takes it, on a thread that has a device.
#include "../rt.h"
#include <pthread.h>
#include <signal.h>

static void ask(void) {
    struct sigaction now;
    sigaction(SIGUSR2, NULL, &now);
    if (now.sa_handler != SIG_DFL) { // there is a listener
        raise(SIGUSR2);
    }
}

static void *without_device(void *unused) {
    aclrtRunMode mode;
    MUST(aclrtGetRunMode(&mode)); // no device here: it does not look
    return unused;
}

int main(void) {
    pthread_t thread;
    size_t available, total;
    begin();
    MUST(aclrtFree(device(64))); // a guard needs a machine that is known
    char *below = device(1000), *block = device(1000), *whole = pinned(1000);
    MUST(aclsimLaunchWrite(block + 1056, 4, 0x41, NULL));
    MUST(aclsimLaunchWrite(block - 4, 4, 0x41, NULL));
    MUST(aclrtSynchronizeDevice()); // no call has named the block
    ask();
    pthread_create(&thread, NULL, without_device, NULL);
    pthread_join(thread, NULL);
    MUST(aclrtGetMemInfo(ACL_HBM_MEM, &available, &total)); // here
    MUST(aclrtGetMemInfo(ACL_HBM_MEM, &available, &total));
    ask(); // reported once
    MUST(aclrtFree(block));
    MUST(aclrtFree(below));
    MUST(aclrtFreeHost(whole));
    end();
    return 0;
}
