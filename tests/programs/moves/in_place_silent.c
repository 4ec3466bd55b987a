// Exact ends; calls that are refused; caches, whose operations may round; a descriptor that is set again.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream = NULL, other_stream = NULL;
    aclrtNotify notify = NULL;
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtCreateStream(&other_stream));
    MUST(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    char *block = device(1000), *other = device(1000), *desc = device(64), *host = pinned(64);
    static int variable;
    MUST(aclsimDefineSymbol(&variable, other, 64));
    MUST(aclrtMemset(block, 1000, 0, 1000));
    MUST(aclrtReduceAsync(block, other, 1000, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, NULL));
    MUST(aclrtValueWrite(block + 992, 1, 0, stream));
    MUST(aclrtRecordNotify(notify, stream));
    MUST(aclrtWaitAndResetNotify(notify, other_stream, 0));
    MUST(aclrtValueWait(block + 992, 1, ACL_STREAM_WAIT_VALUE_EQ, other_stream));
    MUST(aclrtMemFlush(block, 1024));
    MUST(aclrtCmoAsync(block, 1024, ACL_RT_CMO_TYPE_PREFETCH, stream));
    for (int i = 0; i < 2; i++) {
        char *target = i ? block : other;
        MUST(aclrtSetMemcpyDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, i ? other : block, target, 1000, NULL));
        MUST(aclrtMemcpyAsyncWithDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream));
        MUST(aclrtSynchronizeStream(stream));
    }
    MUST(aclrtMemcpyToSymbol(&variable, host, 64, 0, ACL_MEMCPY_DEFAULT));
    MUST(aclrtMemcpyFromSymbol(host, 64, &variable, 64, 0, ACL_MEMCPY_DEFAULT));
    if (aclrtMemcpyToSymbol(&variable, host, 128, 0, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS ||
        aclrtMemcpyFromSymbol(host, 64, &variable, 65, 0, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS ||
        aclrtValueWrite(block + 999, 1, 1, stream) == ACL_SUCCESS ||
        aclrtReduceAsync(block, other, 2000, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, host) == ACL_SUCCESS) {
        return 1;
    }
    MUST(aclrtSynchronizeStream(other_stream));
    MUST(aclrtDestroyNotify(notify));
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtDestroyStream(other_stream));
    MUST(aclrtFreeHost(host));
    MUST(aclrtFree(desc));
    MUST(aclrtFree(other));
    MUST(aclrtFree(block));
    end();
    return 0;
}
