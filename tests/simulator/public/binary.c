/* Binaries of kernels, and the functions in them: the checks of the acl layer. */
#include "../public.h"

#include <stdlib.h>

/* A description of the program's bytes, which it keeps. */
struct description {
    const void *data;
    size_t size;
};

aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen)
{
    struct description *description = data ? malloc(sizeof *description) : NULL;
    if (description) {
        *description = (struct description){data, dataLen};
    }
    return description;
}

aclError aclrtDestroyBinary(aclrtBinary binary)
{
    ENTER();
    REQUIRE(binary, ACL_ERROR_INVALID_PARAM);
    free(binary);
    return ACL_SUCCESS;
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle)
{
    ENTER();
    const struct description *description = binary;
    REQUIRE(binary && binHandle, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsBinaryLoadFromData(description->data, description->size, binHandle));
}

aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle)
{
    ENTER();
    REQUIRE(binPath && binHandle, ACL_ERROR_INVALID_PARAM);
    REQUIRE(!options || (options->options && options->numOpt), ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtsBinaryLoadFromFile(binPath, binHandle));
}

aclError aclrtBinaryLoadFromData(const void *data, size_t length, const aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle)
{
    ENTER();
    REQUIRE(data && binHandle, ACL_ERROR_INVALID_PARAM);
    REQUIRE(!options || (options->options && options->numOpt), ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtsBinaryLoadFromData(data, length, binHandle));
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
    ENTER();
    REQUIRE(binHandle, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtBinaryUnLoad(binHandle));
}

aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle, void **binAddr, size_t *binSize)
{
    ENTER();
    REQUIRE(binHandle, ACL_ERROR_INVALID_PARAM);
    REQUIRE(binAddr && binSize, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtsBinaryGetDevAddress(binHandle, binAddr, binSize));
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName, aclrtFuncHandle *funcHandle)
{
    ENTER();
    REQUIRE(binHandle && kernelName && funcHandle, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsFuncGetByName(binHandle, kernelName, funcHandle));
}

/* Entries are numbers within the chip's code, of which nothing here knows any. */
aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry, aclrtFuncHandle *funcHandle)
{
    ENTER();
    (void)funcEntry;
    REQUIRE(binHandle && funcHandle, ACL_ERROR_INVALID_PARAM);
    ANSWER(ACL_ERROR_RT_PARAM_INVALID);
}

/* A symbol is the host's stub of a kernel: here the kernel itself. */
aclError aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle)
{
    ENTER();
    REQUIRE(symbol && funcHandle, ACL_ERROR_INVALID_PARAM);
    *funcHandle = (aclrtFuncHandle)symbol;
    return ACL_SUCCESS;
}

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name)
{
    ENTER();
    REQUIRE(name, ACL_ERROR_INVALID_PARAM);
    REQUIRE(funcHandle && maxLen, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtsFuncGetName(funcHandle, maxLen, name));
}

/* The same for both kinds of cores: nothing here runs on one. */
aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr)
{
    ENTER();
    REQUIRE(funcHandle && aicAddr && aivAddr, ACL_ERROR_INVALID_PARAM);
    *aicAddr = *aivAddr = funcHandle;
    return ACL_SUCCESS;
}

aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle *binHandle)
{
    ENTER();
    REQUIRE(funcHandle && binHandle, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtFunctionGetBinary(funcHandle, binHandle));
}
