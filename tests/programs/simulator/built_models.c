//@ run
/* Models built by hand: the tasks that their streams keep, and when they run. */
#include "expect.h"

int main(void)
{
    aclrtStream stream, plain;
    aclmdlRI model, other;
    char byte = 0, *block, *pinned;
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&plain));
    OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_PERSISTENT));
    OK(aclrtMalloc((void **)&block, 256, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost((void **)&pinned, 256));
    OK(aclrtMemset(block, 256, 0, 256));
    EXPECT_CODE("runtime HEAD: reserved", ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildBegin(&model, 1));
    OK(aclmdlRIBuildBegin(&model, 0));
    OK(aclmdlRIBuildBegin(&other, 0));
    EXPECT_CODE("runtime HEAD: persistent ones only", ACL_ERROR_RT_PARAM_INVALID,
                aclmdlRIBindStream(model, plain, ACL_MODEL_STREAM_FLAG_HEAD));
    OK(aclmdlRIBindStream(model, stream, ACL_MODEL_STREAM_FLAG_HEAD));
    EXPECT_CODE("runtime HEAD: one model", ACL_ERROR_RT_STREAM_MODEL,
                aclmdlRIBindStream(other, stream, ACL_MODEL_STREAM_FLAG_HEAD));
    OK(aclrtMemsetAsync(block, 256, 3, 256, stream));
    OK(aclrtMemcpyAsync(pinned, 256, block, 256, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    OK(aclrtMemcpy(&byte, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("runtime HEAD: kept, not run; blocking copies are allowed", byte == 0);
    OK(aclrtMemcpyAsync(block, 1, "5", 1, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtMemcpyAsync(&byte, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    EXPECT("runtime HEAD, MemcpyAsync: pageable memory is copied at the call", byte == '5');
    OK(aclmdlRIEndTask(model, stream));
    OK(aclmdlRIBuildEnd(model, NULL));
    EXPECT("runtime HEAD: nothing more is taken", aclrtMemsetAsync(block, 256, 4, 256, stream) != ACL_SUCCESS);
    for (int i = 0; i < 2; i++) {
        memset(pinned, 0, 256);
        OK(aclrtMemset(block, 256, 0, 256));
        OK(aclmdlRIExecute(model, -1));
        EXPECT("runtime HEAD: run as often as wanted", isFilled(pinned, 3, 256));
    }
    memset(pinned, 0, 256);
    OK(aclmdlRIExecuteAsync(model, plain));
    OK(aclrtSynchronizeStream(plain));
    EXPECT("runtime HEAD", isFilled(pinned, 3, 256));
    OK(aclmdlRIUnbindStream(model, stream));
    OK(aclrtDestroyStream(stream));
    OK(aclmdlRIDestroy(model));
    OK(aclmdlRIDestroy(other));
    return 0;
}
