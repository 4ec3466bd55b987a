// A thread is canceled while it waits in the runtime for reports.
#include "process.h"

static pthread_barrier_t ready;

static void *wait_for_reports(void *stream) {
    MUST(aclrtSetDevice(0));
    MUST(aclrtSubscribeReport((uint64_t)pthread_self(), stream));
    pthread_barrier_wait(&ready);
    for (;;) {
        aclrtProcessReport(10000);
    }
}

int main(void) {
    aclrtStream stream;
    pthread_t thread;
    void *result = NULL;
    begin();
    MUST(aclrtCreateStream(&stream));
    pthread_barrier_init(&ready, NULL, 2);
    pthread_create(&thread, NULL, wait_for_reports, stream);
    pthread_barrier_wait(&ready);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    puts(result == PTHREAD_CANCELED ? "cancelled" : "ended");
    fflush(stdout);
    _exit(0); // The runtime's lock was held by the thread that is gone.
}
