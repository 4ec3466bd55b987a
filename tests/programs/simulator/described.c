//@ run
/* Copies by descriptor, by pointers on the device and by symbol; fills by word. */
#include "expect.h"

static aclrtStream stream;
static char *block, *other;

static void descriptors(void)
{
    char *desc;
    size_t size = 0;
    EXPECT_CODE("runtime 681ef761: one kind", ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                aclrtGetMemcpyDescSize(ACL_MEMCPY_DEVICE_TO_DEVICE, &size));
    OK(aclrtGetMemcpyDescSize(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, &size));
    OK(aclrtMalloc((void **)&desc, size + 64, ACL_MEM_MALLOC_HUGE_FIRST));
    aclrtMemcpyKind kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
    EXPECT_CODE("3.5: alignment", ACL_ERROR_RT_PARAM_INVALID, aclrtSetMemcpyDesc(desc + 32, kind, block, other, 8, NULL));
    EXPECT_CODE("3.5", ACL_ERROR_INVALID_PARAM, aclrtSetMemcpyDesc(desc, kind, block, other, 0, NULL));
    EXPECT_CODE("3.5: device memory", ACL_ERROR_RT_PARAM_INVALID, aclrtSetMemcpyDesc(desc, kind, &size, other, 8, NULL));
    OK(aclrtSetMemcpyDesc(desc, kind, block, other, 100, NULL));
    OK(aclrtMemset(block, 256, 5, 256));
    EXPECT_CODE("runtime 681ef761: no default stream", ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsyncWithDesc(desc, kind, NULL));
    OK(aclrtMemcpyAsyncWithDesc(desc, kind, stream));
    OK(aclrtSynchronizeStream(stream));
    char back[256];
    OK(aclsimRead(other, back, 256));
    EXPECT("3.5", isFilled(back, 5, 100) && isFilled(back + 100, 0, 156));
}

static void indirect(void)
{
    void **pointers;
    void *values[2] = {other, block};
    OK(aclrtMalloc((void **)&pointers, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(pointers, 16, values, 16, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemset(block, 256, 6, 256));
    aclrtMemcpyKind kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
    const void **from = (const void **)&pointers[1];
    EXPECT_CODE("3.4: one kind", ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                aclrtMemcpyAsyncWithOffset(pointers, 8, 0, from, 8, 0, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    OK(aclrtMemcpyAsyncWithOffset(pointers, 10, 128, from, 10, 0, kind, stream));
    OK(aclrtSynchronizeStream(stream));
    char back[16];
    OK(aclsimRead(other + 128, back, 16));
    EXPECT("3.4", isFilled(back, 6, 10) && isFilled(back + 10, 0, 6));
}

static void symbols(void)
{
    static int variable;
    void *address;
    size_t size;
    char host[64] = {1};
    EXPECT_CODE("simulator: no such variable", ACL_ERROR_RT_SYMBOL_NOT_FOUND, aclrtGetSymbolAddress(&variable, &address));
    OK(aclsimDefineSymbol(&variable, block, 64));
    OK(aclrtGetSymbolAddress(&variable, &address));
    OK(aclrtGetSymbolSize(&variable, &size));
    EXPECT("3.4", address == block && size == 64);
    EXPECT_CODE("3.4: end of the symbol", ACL_ERROR_INVALID_PARAM,
                aclrtMemcpyToSymbol(&variable, host, 64, 1, ACL_MEMCPY_DEFAULT));
    EXPECT_CODE("3.4: direction", ACL_ERROR_INVALID_PARAM,
                aclrtMemcpyToSymbol(&variable, host, 8, 0, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtMemcpyToSymbol(&variable, host, 8, 56, ACL_MEMCPY_HOST_TO_DEVICE));
    char back[8] = {0};
    OK(aclrtMemcpyFromSymbol(back, 8, &variable, 8, 56, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("3.4", back[0] == 1);
    EXPECT_CODE("runtime 681ef761: count 0 first", ACL_SUCCESS, aclrtMemcpyFromSymbol(NULL, 0, NULL, 0, 0, 99));
    OK(aclrtMemcpyToSymbolAsync(&variable, host, 8, 0, ACL_MEMCPY_DEFAULT, stream));
    OK(aclrtMemcpyFromSymbolAsync(back, 8, &variable, 8, 0, ACL_MEMCPY_DEFAULT, stream));
    OK(aclrtSynchronizeStream(stream));
    EXPECT("3.4", back[0] == 1);
}

static void words(void)
{
    uint32_t back[4], on_stack[4];
    EXPECT_CODE("clients 65: memSize", ACL_ERROR_INVALID_PARAM, aclrtMemsetD32(block, 15, 9, 4));
    EXPECT_CODE("clients 65: alignment", ACL_ERROR_INVALID_PARAM, aclrtMemsetD32(block + 2, 16, 9, 4));
    EXPECT_CODE("3.4: memory of AscendCL only", ACL_ERROR_INVALID_PARAM, aclrtMemsetD32(on_stack, 16, 9, 4));
    EXPECT_CODE("3.4: N 0", ACL_SUCCESS, aclrtMemsetD32(NULL, 0, 9, 0));
    OK(aclrtMemsetD32(block, 16, 0x01020304, 4));
    OK(aclsimRead(block, back, 16));
    EXPECT("clients 65: exact", back[0] == 0x01020304 && back[3] == 0x01020304);
    OK(aclrtMemsetD32Async(block, 256, 7, 2, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclsimRead(block, back, 16));
    EXPECT("3.4", back[1] == 7 && back[2] == 0x01020304);
}

/* Host memory is filled at the call, ahead of what its stream waits for. */
static void atOnce(void)
{
    sem_t gate;
    uint32_t *pinned;
    sem_init(&gate, 0, 0);
    OK(aclrtMallocHost((void **)&pinned, 64));
    OK(aclrtLaunchHostFunc(stream, waitForGate, &gate));
    OK(aclrtMemsetD32Async(pinned, 64, 9, 16, stream));
    EXPECT("3.4", pinned[15] == 9);
    OK(aclrtMemsetAsync(pinned, 64, 1, 64, stream));
    EXPECT("runtime 681ef761: MemSetAsync", pinned[15] == 0x01010101);
    sem_post(&gate);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtFreeHost(pinned));
    sem_destroy(&gate);
}

int main(void)
{
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc((void **)&block, 256, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc((void **)&other, 256, ACL_MEM_MALLOC_HUGE_FIRST));
    descriptors();
    indirect();
    symbols();
    words();
    atOnce();
    return 0;
}
