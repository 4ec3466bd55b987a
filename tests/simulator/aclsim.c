/* The simulator's own calls; see include/aclsim.h. */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "include/aclsim.h"

#define PUBLIC __attribute__((visibility("default")))

struct kernel {
    void *dst;
    const void *src; /* NULL: fill with value */
    size_t len;
    int value;
};

static aclError runKernel(void *argument)
{
    struct kernel *kernel = argument;
    uint64_t reach, from_reach = kernel->len;
    void *to = aclsimView(kernel->dst, kernel->len, &reach);
    const void *from = kernel->src ? aclsimView(kernel->src, kernel->len, &from_reach) : NULL;
    reach = from_reach < reach ? from_reach : reach;
    if (from) {
        memmove(to, from, reach);
    } else {
        memset(to, kernel->value, reach);
    }
    return reach == kernel->len ? ACL_SUCCESS : ACL_ERROR_RT_AICORE_EXCEPTION;
}

static aclError launch(struct kernel form, aclrtStream stream)
{
    struct kernel *kernel = malloc(sizeof *kernel);
    if (!kernel) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *kernel = form;
    return aclsimEnqueue(stream, runKernel, free, kernel);
}

PUBLIC aclError aclsimLaunchWrite(void *dev, size_t len, int value, aclrtStream stream)
{
    return launch((struct kernel){dev, NULL, len, value}, stream);
}

PUBLIC aclError aclsimLaunchCopy(void *dst, const void *src, size_t len, aclrtStream stream)
{
    return launch((struct kernel){dst, src, len, 0}, stream);
}

static uint64_t reached(const void *dev, size_t len, void **view)
{
    uint64_t reach;
    *view = aclsimView(dev, len, &reach);
    if (reach != len) {
        aclsimTrap(ACL_ERROR_RT_AICORE_EXCEPTION);
    }
    return reach;
}

PUBLIC void aclsimStore(void *dev, const void *bytes, size_t len)
{
    void *to;
    uint64_t reach = reached(dev, len, &to);
    memmove(to, bytes, reach);
}

PUBLIC void aclsimLoad(const void *dev, void *out, size_t len)
{
    void *from;
    uint64_t reach = reached(dev, len, &from);
    memmove(out, from, reach);
}

PUBLIC aclError aclsimRunWithAllocator(size_t len, aclrtStream stream)
{
    aclrtAllocatorDesc description;
    aclrtAllocator allocator;
    aclrtAllocatorAllocFunc allocate;
    aclrtAllocatorFreeFunc release;
    aclrtAllocatorGetAddrFromBlockFunc address;
    aclError code = aclrtAllocatorGetByStream(stream, &description, &allocator, &allocate, &release, NULL, &address);
    if (code != ACL_SUCCESS) {
        return code;
    }
    aclrtAllocatorBlock block = allocate(allocator, len);
    if (!block) {
        return ACL_ERROR_BAD_ALLOC;
    }
    code = aclsimLaunchWrite(address(block), len, 0, stream);
    code = code == ACL_SUCCESS ? aclrtSynchronizeStream(stream) : code;
    release(allocator, block);
    return code;
}

PUBLIC aclError aclsimDefineKernel(const char *name, void (*code)(void *args))
{
    return name && code ? rtKernelDefine(name, code) : ACL_ERROR_INVALID_PARAM;
}

PUBLIC aclError aclsimDefineSymbol(const void *symbol, void *dev, size_t size)
{
    return rtSymbolRegister(symbol, dev, size);
}

PUBLIC aclError aclsimRead(const void *dev, void *out, size_t len)
{
    uint64_t reach;
    const void *from = aclsimView(dev, len, &reach);
    if (reach != len) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    memcpy(out, from, len);
    return ACL_SUCCESS;
}

PUBLIC int aclsimIsLive(const void *address)
{
    void *base;
    uint64_t size;
    return aclsimBlock(address, &base, &size);
}

PUBLIC size_t aclsimLiveBlocks(int32_t device)
{
    return aclsimLiveCount(device);
}
