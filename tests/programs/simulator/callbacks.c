//@ run
/* Host functions in stream order, with and without a report thread. */
#include <pthread.h>

#include "expect.h"

static _Atomic int stopping;
static int order[4], ordered;
static pthread_t runner;

static void note(void *number)
{
    EXPECT("3.13: in the subscribed thread", pthread_equal(pthread_self(), runner));
    order[ordered++] = (int)(intptr_t)number;
}

static void *process(void *unused)
{
    while (!stopping) {
        aclError code = aclrtProcessReport(5);
        EXPECT("3.13", code == ACL_SUCCESS || code == ACL_ERROR_RT_REPORT_TIMEOUT ||
                           code == ACL_ERROR_RT_THREAD_SUBSCRIBE);
    }
    return unused;
}

static void freeInOrder(void *block)
{
    EXPECT_CODE("3.13: releases inside are stream-ordered", ACL_SUCCESS, aclrtFree(block));
}

int main(void)
{
    aclrtStream stream;
    void *d;
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&d, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE("4: not subscribed", ACL_ERROR_RT_STREAM_NO_CB_REG,
                aclrtLaunchCallback(note, NULL, ACL_CALLBACK_BLOCK, stream));
    EXPECT_CODE("4: not subscribed", ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtProcessReport(1));
    EXPECT_CODE("3.13", ACL_ERROR_INVALID_PARAM, aclrtProcessReport(0));

    pthread_create(&runner, NULL, process, NULL);
    OK(aclrtSubscribeReport((uint64_t)runner, stream));
    EXPECT_CODE("4: twice", ACL_ERROR_RT_STREAM_SUBSCRIBE, aclrtSubscribeReport((uint64_t)runner, stream));
    OK(aclrtLaunchCallback(note, (void *)1, ACL_CALLBACK_NO_BLOCK, stream));
    OK(aclrtLaunchCallback(note, (void *)2, ACL_CALLBACK_BLOCK, stream));
    OK(aclrtLaunchCallback(note, (void *)3, ACL_CALLBACK_BLOCK, stream));
    OK(aclrtSynchronizeStream(stream));
    EXPECT("3.13: a blocking callback holds the stream", ordered == 3);
    EXPECT("3.13: in order", order[0] == 1 && order[1] == 2 && order[2] == 3);
    OK(aclrtUnSubscribeReport((uint64_t)runner, stream));
    EXPECT("3.13", aclrtUnSubscribeReport((uint64_t)runner, stream) != ACL_SUCCESS);
    stopping = 1;
    pthread_join(runner, NULL);

    OK(aclsimLaunchWrite(d, 64, 1, stream));
    OK(aclrtLaunchHostFunc(stream, freeInOrder, d));
    OK(aclrtSynchronizeStream(stream));
    EXPECT("3.13", !aclsimIsLive(d));
    OK(aclrtDestroyStream(stream));
    return 0;
}
