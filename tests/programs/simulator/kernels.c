//@ run
//@ run: ACLSIM_STREAM_DELAY_US=200
/* Kernels run in stream order, each with its own copy of the arguments. */
#include "expect.h"

static int seen[3], count;

static void note(void *args)
{
    seen[count++] = *(int *)args;
}

int main(void)
{
    aclrtStream stream;
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    int number = 1;
    void *kernel = (void *)(uintptr_t)note;
    OK(aclrtLaunchKernel(kernel, 1, &number, sizeof number, stream));
    number = 2;
    OK(aclrtLaunchKernelV2(kernel, 1, &number, sizeof number, NULL, stream));
    number = 3;
    OK(aclrtLaunchKernelWithHostArgs(kernel, 1, stream, NULL, &number, sizeof number, NULL, 0));
    EXPECT_CODE("3.14", ACL_ERROR_INVALID_PARAM, aclrtLaunchKernel(NULL, 1, &number, sizeof number, stream));
    OK(aclrtSynchronizeStream(stream));
    EXPECT("3.14: arguments are copied", seen[0] == 1 && seen[1] == 2 && seen[2] == 3);
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
