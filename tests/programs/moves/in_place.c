// Reductions, values and described copies that leave their blocks.
#include "../rt.h"

int main(void) {
    begin();
    aclrtStream stream = NULL;
    MUST(aclrtCreateStream(&stream));
    char *block = device(1000), *other = device(1000), *desc = device(64), *gone = device(64), *host = pinned(16);
    static int variable;
    MUST(aclsimDefineSymbol(&variable, other, 64));
    MUST(aclrtReduceAsync(block, other + 996, 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, NULL));
    MUST(aclrtReduceAsync(block + 992, other, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_INT32, stream, NULL));
    MUST(aclrtValueWrite(block + 1000 - 4, 1, 0, stream));
    MUST(aclrtSetMemcpyDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, other, block + 64, 1000, NULL));
    MUST(aclrtMemcpyAsyncWithDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream));
    MUST(aclrtMemcpyFromSymbolAsync(host, 32, &variable, 32, 0, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtFree(gone));
    MUST(aclrtMemcpyAsyncWithOffset((void **)gone, 8, 0, (const void **)gone, 8, 0, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream));
    aclrtSynchronizeStream(stream);
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtFreeHost(host));
    MUST(aclrtFree(desc));
    MUST(aclrtFree(other));
    MUST(aclrtFree(block));
    end();
    return 0;
}
