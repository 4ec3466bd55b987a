//@ run
/* Reductions, value writes and waits, caches. */
#include "expect.h"

int main(void)
{
    aclrtStream one, two;
    char *block, *other;
    int32_t numbers[4] = {1, -2, 3, 4}, more[4] = {5, 5, -5, 4};
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&one));
    OK(aclrtCreateStream(&two));
    OK(aclrtMalloc((void **)&block, 256, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc((void **)&other, 256, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(block, 256, numbers, 16, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy(other, 256, more, 16, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE("3.4: reserve", ACL_ERROR_INVALID_PARAM,
                aclrtReduceAsync(block, other, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, one, &one));
    EXPECT_CODE("runtime 681ef761: count", ACL_ERROR_RT_PARAM_INVALID,
                aclrtReduceAsync(block, other, 0, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, one, NULL));
    OK(aclrtReduceAsync(block, other, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, one, NULL));
    OK(aclrtReduceAsync(block, other, 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_INT32, one, NULL));
    OK(aclrtSynchronizeStream(one));
    OK(aclsimRead(block, numbers, 16));
    EXPECT("3.4: count is bytes", numbers[0] == 6 && numbers[1] == 5 && numbers[2] == -2 && numbers[3] == 8);

    EXPECT_CODE("3.4: flag", ACL_ERROR_RT_PARAM_INVALID, aclrtValueWrite(block, 1, 1, one));
    EXPECT_CODE("3.4: flag", ACL_ERROR_RT_PARAM_INVALID, aclrtValueWait(block, 1, 4, one));
    EXPECT_CODE("3.4: device memory", ACL_ERROR_RT_PARAM_INVALID, aclrtValueWrite(numbers, 1, 0, one));
    OK(aclrtMemset(block, 256, 0, 256));
    OK(aclrtValueWait(block, 9, ACL_STREAM_WAIT_VALUE_GEQ, two));
    OK(aclrtMemcpyAsync(other, 8, block, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, two));
    aclrtStreamStatus status;
    OK(aclrtStreamQuery(two, &status));
    EXPECT("3.13: a value orders streams", status == ACL_STREAM_STATUS_NOT_READY);
    OK(aclrtValueWrite(block, 10, 0, one));
    OK(aclrtSynchronizeStream(two));
    uint64_t seen;
    OK(aclsimRead(other, &seen, 8));
    EXPECT("3.13", seen == 10);
    OK(aclrtValueWait(block, 10, ACL_STREAM_WAIT_VALUE_EQ, NULL));
    OK(aclrtValueWait(block, 2, ACL_STREAM_WAIT_VALUE_AND, NULL));
    OK(aclrtSynchronizeStream(NULL));

    EXPECT_CODE("3.4: size 0", ACL_ERROR_INVALID_PARAM, aclrtMemFlush(block, 0));
    EXPECT_CODE("3.4: size 0", ACL_ERROR_INVALID_PARAM, aclrtCmoAsync(block, 0, ACL_RT_CMO_TYPE_PREFETCH, one));
    OK(aclrtMemFlush(block, 256));
    OK(aclrtMemInvalidate(block, 256));
    OK(aclrtCmoAsync(block, 256, ACL_RT_CMO_TYPE_PREFETCH, one));
    OK(aclrtSynchronizeStream(one));
    return 0;
}
