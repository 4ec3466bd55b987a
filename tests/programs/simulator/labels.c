//@ run
/* Labels: jump targets in models built by hand. */
#include "expect.h"

int main(void)
{
    aclrtStream stream, plain;
    aclmdlRI model;
    aclrtLabel labels[2], wild = &labels;
    aclrtLabelList list;
    char *block;
    uint32_t *index;
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&plain));
    OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_PERSISTENT));
    OK(aclrtMalloc((void **)&block, 256, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc((void **)&index, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtCreateLabel(&labels[0]));
    OK(aclrtCreateLabel(&labels[1]));
    EXPECT_CODE("runtime HEAD", ACL_ERROR_RT_PARAM_INVALID, aclrtCreateLabelList(labels, 0, &list));
    OK(aclrtCreateLabelList(labels, 2, &list));
    OK(aclmdlRIBuildBegin(&model, 0));
    EXPECT_CODE("API reference: streams of models alone", ACL_ERROR_RT_PARAM_INVALID, aclrtSetLabel(labels[0], plain));
    OK(aclmdlRIBindStream(model, stream, ACL_MODEL_STREAM_FLAG_HEAD));
    EXPECT_CODE("simulator: wild handle", ACL_ERROR_RT_PARAM_INVALID, aclrtSetLabel(wild, stream));
    EXPECT_CODE("API reference: reserved", ACL_ERROR_INVALID_PARAM,
                aclrtSwitchStream(index, ACL_RT_EQUAL, index, ACL_RT_SWITCH_INT32, stream, stream, stream));
    OK(aclrtSwitchLabelByIndex(index, 2, list, stream));
    OK(aclrtMemsetAsync(block, 64, 1, 64, stream));
    OK(aclrtSetLabel(labels[0], stream));
    OK(aclrtMemsetAsync(block + 64, 64, 2, 64, stream));
    OK(aclrtSetLabel(labels[1], stream));
    OK(aclrtMemsetAsync(block + 128, 64, 3, 64, stream));
    OK(aclmdlRIEndTask(model, stream));
    OK(aclmdlRIBuildEnd(model, NULL));
    for (uint32_t i = 0; i < 3; i++) {
        char now[256];
        OK(aclrtMemset(block, 256, 0, 256));
        OK(aclrtMemcpy(index, sizeof i, &i, sizeof i, ACL_MEMCPY_HOST_TO_DEVICE));
        OK(aclmdlRIExecute(model, -1));
        OK(aclsimRead(block, now, 256));
        EXPECT("API reference: the stream stops at the switch", isFilled(now, 0, 64));
        EXPECT("API reference: the label's tasks run", isFilled(now + 64, i == 0 ? 2 : 0, 64));
        EXPECT("API reference: above the largest, the last one", isFilled(now + 128, 3, 64));
    }
    OK(aclmdlRIUnbindStream(model, stream));
    OK(aclmdlRIDestroy(model));
    OK(aclrtDestroyLabelList(list));
    OK(aclrtDestroyLabel(labels[0]));
    OK(aclrtDestroyLabel(labels[1]));
    EXPECT_CODE("simulator: stale handle", ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyLabel(labels[1]));
    OK(aclrtDestroyStream(stream));
    return 0;
}
