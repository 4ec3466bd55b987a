/* Device memory faults when the host touches it; sizes, families and questions about addresses. */
#include <setjmp.h>
#include <signal.h>

#include "expect.h"

static sigjmp_buf back;

static void caught(int signal)
{
    siglongjmp(back, signal);
}

static int faults(CUdeviceptr address)
{
    if (sigsetjmp(back, 1)) {
        return 1;
    }
    *(volatile char *)(uintptr_t)address = 1;
    return 0;
}

static void withoutInitialization(void)
{
    CUdeviceptr address;
    int count, version = 0;
    EXPECT_CODE("before cuInit", CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
    EXPECT_CODE("cuInit's flags must be 0", CUDA_ERROR_INVALID_VALUE, cuInit(1));
    OK(cuDriverGetVersion(&version));
    EXPECT("the version needs no start", version == CUDA_VERSION);
    OK(cuInit(0));
    EXPECT_CODE("no context", CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&address, 16));
}

static void sizes(void)
{
    CUdeviceptr address;
    size_t free_bytes, total;
    OK(cuMemGetInfo(&free_bytes, &total));
    EXPECT_CODE("no bytes", CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&address, 0));
    EXPECT_CODE("no place", CUDA_ERROR_INVALID_VALUE, cuMemAlloc(NULL, 16));
    EXPECT_CODE("more than there is", CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&address, total + 1));
    EXPECT_CODE("huge", CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&address, SIZE_MAX));
    OK(cuMemAlloc(&address, total));
    EXPECT_CODE("nothing is left", CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&(CUdeviceptr){0}, 16));
    OK(cuMemFree(address));
    EXPECT_CODE("twice", CUDA_ERROR_INVALID_VALUE, cuMemFree(address));
    OK(cuMemFree(0));
}

static void families(void)
{
    CUdeviceptr block, managed, inside;
    char *pinned, own[64];
    unsigned type = 0;
    size_t size = 0;
    OK(cuMemAlloc(&block, 1000));
    EXPECT("the host cannot touch it", faults(block));
    OK(cuMemAllocManaged(&managed, 1000, CU_MEM_ATTACH_GLOBAL));
    EXPECT("the host can", !faults(managed));
    OK(cuMemAllocHost((void **)&pinned, 1000));
    pinned[999] = 1;
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, block + 10));
    EXPECT("type", type == CU_MEMORYTYPE_DEVICE);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)pinned));
    EXPECT("type", type == CU_MEMORYTYPE_HOST);
    EXPECT_CODE("unknown", CUDA_ERROR_INVALID_VALUE,
                cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)own));
    OK(cuMemGetAddressRange(&inside, &size, block + 10));
    EXPECT("range", inside == block && size == 1000);
    EXPECT_CODE("not the start", CUDA_ERROR_INVALID_VALUE, cuMemFree(block + 1));
    EXPECT_CODE("family", CUDA_ERROR_INVALID_VALUE, cuMemFreeHost((void *)(uintptr_t)block));
    EXPECT_CODE("family", CUDA_ERROR_INVALID_VALUE, cuMemFree((uintptr_t)pinned));
    OK(cuMemHostRegister(own, sizeof own, 0));
    EXPECT_CODE("twice", CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(own + 8, 8, 0));
    OK(cuMemHostUnregister(own));
    EXPECT_CODE("twice", CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(own));
    OK(cuMemFreeHost(pinned));
    OK(cuMemFree(managed));
    OK(cuMemFree(block));
}

static void contexts(CUcontext primary)
{
    CUcontext floating, current;
    CUdeviceptr block;
    OK(cuCtxCreate(&floating, 0, 1));
    OK(cuMemAlloc(&block, 16));
    OK(cuCtxPopCurrent(&current));
    EXPECT("popped", current == floating);
    OK(cuCtxGetCurrent(&current));
    EXPECT("the one below", current == primary);
    OK(cuCtxDestroy(floating));
    EXPECT_CODE("its memory went with it", CUDA_ERROR_INVALID_VALUE, cuMemFree(block));
    EXPECT_CODE("a stale context", CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(floating));
    EXPECT_CODE("no such device", CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&(CUdevice){0}, 99));
}

int main(void)
{
    signal(SIGSEGV, caught);
    signal(SIGBUS, caught);
    withoutInitialization();
    CUcontext primary = begin();
    sizes();
    families();
    contexts(primary);
    OK(cuMemAlloc(&(CUdeviceptr){0}, 16));
    OK(cuDevicePrimaryCtxReset(0));
    size_t free_bytes, total;
    OK(cuMemGetInfo(&free_bytes, &total));
    EXPECT("a reset drops its memory", free_bytes == total);
    return 0;
}
