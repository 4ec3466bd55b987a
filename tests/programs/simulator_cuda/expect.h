/* Assertions that name the documented fact that they check. */
#ifndef EXPECT_H
#define EXPECT_H

#include "../facts.h"
#include "cusim.h"

#define OK(call) EXPECT_CODE("set-up", CUDA_SUCCESS, call)

__attribute__((unused)) static CUcontext begin(void)
{
    CUcontext context;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    return context;
}

#endif
