//@ run
/* Streams of a model that another one activates, at once or on a condition. Source: the API reference of CANN 9. */
#include <stdbool.h>

#include "expect.h"

static char *block;

int main(void)
{
    aclrtStream head, chosen, last, plain;
    aclmdlRI model;
    int32_t *left, *right, limit = 7;
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&plain));
    OK(aclrtCreateStreamWithConfig(&head, 0, ACL_STREAM_PERSISTENT));
    OK(aclrtCreateStreamWithConfig(&chosen, 0, ACL_STREAM_PERSISTENT));
    OK(aclrtCreateStreamWithConfig(&last, 0, ACL_STREAM_PERSISTENT));
    OK(aclrtMalloc((void **)&block, 256, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc((void **)&left, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc((void **)&right, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(right, sizeof limit, &limit, sizeof limit, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT("api_error.cc: streams of models alone", aclrtActiveStream(plain, plain) != ACL_SUCCESS);
    OK(aclmdlRIBuildBegin(&model, 0));
    OK(aclmdlRIBindStream(model, head, ACL_MODEL_STREAM_FLAG_HEAD));
    OK(aclmdlRIBindStream(model, chosen, ACL_MODEL_STREAM_FLAG_DEFAULT));
    OK(aclmdlRIBindStream(model, last, ACL_MODEL_STREAM_FLAG_DEFAULT));
    OK(aclrtMemsetAsync(block, 64, 1, 64, head));
    OK(aclrtSwitchStream(left, ACL_RT_EQUAL, right, ACL_RT_SWITCH_INT32, chosen, NULL, head));
    OK(aclrtMemsetAsync(block + 64, 64, 2, 64, head));
    OK(aclrtActiveStream(last, head));
    OK(aclrtMemsetAsync(block + 128, 64, 3, 64, chosen));
    OK(aclrtActiveStream(last, chosen));
    OK(aclrtMemsetAsync(block + 192, 64, 4, 64, last));
    OK(aclmdlRIEndTask(model, last));
    OK(aclmdlRIBuildEnd(model, NULL));
    EXPECT_CODE("api_error.cc, StreamSynchronize: nobody waits for them", ACL_SUCCESS, aclrtSynchronizeStream(head));
    for (int32_t value = 6; value < 8; value++) {
        char now[256];
        bool equal = value == limit;
        OK(aclrtMemset(block, 256, 0, 256));
        OK(aclrtMemcpy(left, sizeof value, &value, sizeof value, ACL_MEMCPY_HOST_TO_DEVICE));
        OK(aclmdlRIExecute(model, -1));
        OK(aclsimRead(block, now, 256));
        EXPECT("the head runs up to the switch", isFilled(now, 1, 64));
        EXPECT("and goes on where the values differ", isFilled(now + 64, equal ? 0 : 2, 64));
        EXPECT("else the other stream does", isFilled(now + 128, equal ? 3 : 0, 64));
        EXPECT("both activate the last one", isFilled(now + 192, 4, 64));
    }
    return 0;
}
