//@ options: guard=page
//@ env: ACLSIM_FAIL=sync@1=507018,sync@2=507054,sync@3=507014,aclrtSetExceptionInfoCallback@4
// The program's callback receives errors that concern no block; it is replaced, removed, and a replacement refused, as without aclsan.
#include "callback.h"

static void first(aclrtExceptionInfo *info) {
    printf("first: %u, stream %u, task %u\n", aclrtGetErrorCodeFromExceptionInfo(info), aclrtGetStreamIdFromExceptionInfo(info), aclrtGetTaskIdFromExceptionInfo(info));
}

static void other(aclrtExceptionInfo *info) {
    printf("other: %u, device %u\n",
           aclrtGetErrorCodeFromExceptionInfo(info), aclrtGetDeviceIdFromExceptionInfo(info));
}

int main(void) {
    begin();
    MUST(aclrtFree(device(64)));
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    char *block = device(1000);
    MUST(aclrtSetExceptionInfoCallback(first));
    launch(zero, block, 1000, stream);
    printf("%d\n", aclrtSynchronizeStream(stream));
    MUST(aclrtSetExceptionInfoCallback(other));
    launch(zero, block, 1000, stream);
    printf("%d\n", aclrtSynchronizeStream(stream));
    MUST(aclrtSetExceptionInfoCallback(NULL));
    printf("%d\n", aclrtSetExceptionInfoCallback(first) != ACL_SUCCESS); // refused
    launch(zero, block, 1000, stream);
    printf("%d\n", aclrtSynchronizeStream(stream)); // no callback
    MUST(aclrtSetExceptionInfoCallback(other));
    launch(sum, block, 1000, stream);
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtFree(block));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
