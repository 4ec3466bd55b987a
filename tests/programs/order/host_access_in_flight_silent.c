//@ options: host_access=trap
//@ env: ACLSIM_STREAM_DELAY_US=500
// Every way in which the host may learn that a copy is done, and then the CPU in its memory.
#include "order.h"
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static char *source, *result;
static aclrtStream work;

static void copy(int round) {
    MUST(aclrtMemset(source, N, round, N));
    MUST(aclrtMemcpyAsync(result, N, source, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
}

static void check(int round) {
    for (int i = 0; i < N; i++)
        if (result[i] != (char)round) exit(3);
    memset(result, 0, N);
}

static _Atomic int called;
static void on_call(void *unused) {
    (void)unused;
    called = 1;
}

static void *reader(void *round) {
    check((int)(intptr_t)round);
    return NULL;
}

int main(void) {
    begin();
    work = stream();
    aclrtStream other = stream();
    source = device(N), result = pinned(N);
    memset(result, 0, N);
    copy(1);
    MUST(aclrtSynchronizeStream(work));
    check(1);
    copy(2);
    MUST(aclrtSynchronizeDevice());
    check(2);
    copy(3);
    for (aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY; status != ACL_STREAM_STATUS_COMPLETE; sched_yield())
        MUST(aclrtStreamQuery(work, &status));
    check(3);
    copy(4);
    aclrtEvent done = recorded(work);
    MUST(aclrtSynchronizeEvent(done));
    check(4);
    copy(5);
    MUST(aclrtRecordEvent(done, work));
    for (aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY; status != ACL_EVENT_RECORDED_STATUS_COMPLETE; sched_yield())
        MUST(aclrtQueryEventStatus(done, &status));
    check(5);
    // By way of another stream.
    copy(6);
    MUST(aclrtRecordEvent(done, work));
    MUST(aclrtStreamWaitEvent(other, done));
    MUST(aclrtSynchronizeStream(other));
    check(6);
    // A host function runs when what is before it is done.
    copy(7);
    MUST(aclrtLaunchHostFunc(work, on_call, NULL));
    while (!called) sched_yield();
    check(7);
    // What one thread has waited for, another may use.
    copy(8);
    MUST(aclrtSynchronizeStream(work));
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, reader, (void *)8));
    MUST(pthread_join(thread, NULL));
    // The end of a stream is the end of its work.
    copy(9);
    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtDestroyStream(work));
    check(9);
    MUST(aclrtDestroyStream(other));
    MUST(aclrtDestroyEvent(done));
    MUST(aclrtFreeHost(result));
    MUST(aclrtFree(source));
    end();
    return 0;
}
