//@ run: ACLSIM_QUIET=1
/* Kernels that a binary is asked for by name, and their arguments. Sources: the acl layer's kernel.cpp, and api_impl.cc. */
#include <stddef.h>

#include "expect.h"

static aclrtStream stream;

struct arguments {
    uint32_t *to;
    const uint32_t *table; /* a placeholder: within the arguments */
    uint64_t factor;
};

static void fill(void *args)
{
    const struct arguments *given = args;
    uint32_t value = given->table[1] * (uint32_t)given->factor;
    aclsimStore(given->to, &value, sizeof value);
}

int main(void)
{
    static const char chip[] = "code for the chip";
    aclrtBinHandle binary, owner;
    aclrtFuncHandle function, unknown;
    aclrtArgsHandle list;
    aclrtParamHandle to_at, table_at, factor_at;
    void *address;
    size_t size, need;
    uint32_t *block, *table, result;
    uint64_t factor = 3;
    char name[16];
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc((void **)&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclsimDefineKernel("fill", fill));
    EXPECT_CODE("kernel.cpp", ACL_ERROR_INVALID_PARAM, aclrtBinaryLoadFromData(NULL, 4, NULL, &binary));
    EXPECT("no such file", aclrtBinaryLoadFromFile("/nonexistent.o", NULL, &binary) != ACL_SUCCESS);
    OK(aclrtBinaryLoadFromData(chip, sizeof chip, NULL, &binary));
    OK(aclrtBinaryGetDevAddress(binary, &address, &size));
    EXPECT("on the device", size == sizeof chip && aclsimIsLive(address));
    OK(aclrtBinaryGetFunction(binary, "fill", &function));
    OK(aclrtFunctionGetBinary(function, &owner));
    EXPECT("its binary", owner == binary);
    OK(aclrtGetFunctionName(function, sizeof name, name));
    EXPECT("its name", strcmp(name, "fill") == 0);
    OK(aclrtKernelArgsGetMemSize(function, 24, &need));
    EXPECT("at least the arguments", need >= 24);

    OK(aclrtKernelArgsInit(function, &list));
    OK(aclrtKernelArgsAppend(list, &block, sizeof block, &to_at));
    OK(aclrtKernelArgsAppendPlaceHolder(list, &table_at));
    OK(aclrtKernelArgsAppend(list, &factor, sizeof factor, &factor_at));
    OK(aclrtKernelArgsGetPlaceHolderBuffer(list, table_at, 2 * sizeof *table, (void **)&table));
    table[1] = 14;
    EXPECT_CODE("KernelArgsAppend: behind a buffer", ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                aclrtKernelArgsAppend(list, &factor, sizeof factor, &factor_at));
    EXPECT("not yet finished", aclrtLaunchKernelWithConfig(function, 1, stream, NULL, list, NULL) != ACL_SUCCESS);
    OK(aclrtKernelArgsFinalize(list));
    OK(aclrtLaunchKernelWithConfig(function, 1, stream, NULL, list, NULL));
    OK(aclrtSynchronizeStream(stream));
    OK(aclsimRead(block, &result, sizeof result));
    EXPECT("the placeholder points into the launch's copy", result == 42);
    factor = 2;
    OK(aclrtKernelArgsParaUpdate(list, factor_at, &factor, sizeof factor));
    OK(aclrtKernelArgsFinalize(list));
    OK(aclrtLaunchKernelWithConfig(function, 1, stream, NULL, list, NULL));
    OK(aclrtSynchronizeStream(stream));
    OK(aclsimRead(block, &result, sizeof result));
    EXPECT("an argument that was changed", result == 28);
    EXPECT_CODE("kernel.cpp", ACL_ERROR_INVALID_PARAM, aclrtLaunchKernelWithConfig(function, 0, stream, NULL, list, NULL));

    /* Arguments on the device are read when the kernel runs. */
    struct arguments given = {block, NULL, 0}, *on_device;
    struct { struct arguments head; uint32_t table[2]; } whole = {given, {0, 5}};
    aclrtPlaceHolderInfo place = {offsetof(struct arguments, table), sizeof given};
    whole.head.factor = 4;
    OK(aclrtLaunchKernelWithHostArgs(function, 1, stream, NULL, &whole, sizeof whole, &place, 1));
    OK(aclrtSynchronizeStream(stream));
    OK(aclsimRead(block, &result, sizeof result));
    EXPECT("places of the host's arguments", result == 20);
    OK(aclrtMalloc((void **)&on_device, sizeof given, ACL_MEM_MALLOC_HUGE_FIRST));
    given.table = whole.table;
    given.factor = 6;
    OK(aclrtMemcpy(on_device, sizeof given, &given, sizeof given, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtLaunchKernel(function, 1, on_device, sizeof given, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclsimRead(block, &result, sizeof result));
    EXPECT("arguments on the device", result == 30);

    OK(aclrtBinaryGetFunction(binary, "unknown", &unknown));
    OK(aclrtLaunchKernel(unknown, 1, &given, sizeof given, stream));
    EXPECT_CODE("simulator: it does nothing", ACL_SUCCESS, aclrtSynchronizeStream(stream));
    OK(aclrtBinaryUnLoad(binary));
    EXPECT("gone", aclrtBinaryUnLoad(binary) != ACL_SUCCESS && !aclsimIsLive(address));
    return 0;
}
