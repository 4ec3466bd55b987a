/* When copies and fills are done for the host ("API synchronization behavior"), and what is refused. */
#include "expect.h"

#define SYNC "API synchronization behavior"

static sem_t gate;
static CUdeviceptr device, other;
static char *pinned;

static void deviceToDeviceDoesNotWait(void)
{
    char now[64];
    OK(cuMemsetD8(device, 1, 64));
    OK(cuLaunchHostFunc(NULL, waitForGate, &gate));
    OK(cuMemcpyDtoD(other, device, 64));
    OK(cuMemsetD8(device, 2, 64));
    EXPECT_CODE(SYNC, CUDA_ERROR_NOT_READY, cuStreamQuery(NULL));
    sem_post(&gate);
    OK(cuMemcpyDtoH(now, other, 64));
    EXPECT(SYNC, isFilled(now, 1, 64));
    OK(cuMemcpyDtoH(now, device, 64));
    EXPECT(SYNC, isFilled(now, 2, 64));
}

static void pinnedIsReadLate(CUstream stream)
{
    char now[64];
    memset(pinned, 3, 64);
    OK(cuLaunchHostFunc(stream, waitForGate, &gate));
    OK(cuMemcpyHtoDAsync(device, pinned, 64, stream));
    memset(pinned, 4, 64);
    sem_post(&gate);
    OK(cuMemcpyDtoHAsync(now, device, 64, stream)); /* to pageable memory: done at its return */
    EXPECT(SYNC, isFilled(now, 4, 64));
}

static void pageableIsStaged(CUstream stream)
{
    char bytes[64], now[64];
    memset(bytes, 5, 64);
    OK(cuMemcpyHtoDAsync(device, bytes, 64, stream));
    memset(bytes, 6, 64);
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(now, device, 64));
    EXPECT(SYNC, isFilled(now, 5, 64));
}

static void rowsAndElements(void)
{
    CUdeviceptr rows;
    size_t pitch;
    unsigned char now[4 * 6];
    OK(cuMemAllocPitch(&rows, &pitch, 6, 4, 4));
    EXPECT("rows start aligned", pitch >= 6 && pitch % 512 == 0);
    OK(cuMemsetD2D8(rows, pitch, 7, 6, 4));
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = rows, .srcPitch = pitch,
                                .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = now, .dstPitch = 6,
                                .WidthInBytes = 6, .Height = 4};
    OK(cuMemcpy2D(&copy));
    EXPECT("2D", isFilled(now, 7, sizeof now));
    OK(cuMemsetD32(device, 0x04030201, 4));
    OK(cuMemcpyDtoH(now, device, 16));
    EXPECT("by element", now[0] == 1 && now[5] == 2 && now[15] == 4);
    OK(cuMemFree(rows));
}

static void badArgumentsAreRefused(CUstream stream)
{
    char bytes[64] = {0};
    EXPECT_CODE("NULL", CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(device, NULL, 64));
    EXPECT_CODE("no bytes", CUDA_SUCCESS, cuMemcpyHtoD(device, NULL, 0));
    EXPECT_CODE("past the end", CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(device + 4090, bytes, 64));
    EXPECT_CODE("huge", CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(device, bytes, SIZE_MAX));
    EXPECT_CODE("huge", CUDA_ERROR_INVALID_VALUE, cuMemsetD32(device, 0, SIZE_MAX / 2));
    EXPECT_CODE("host memory", CUDA_ERROR_INVALID_VALUE, cuMemsetD8((uintptr_t)bytes, 0, 64));
    EXPECT_CODE("alignment", CUDA_ERROR_INVALID_VALUE, cuMemsetD32(device + 1, 0, 4));
    EXPECT_CODE("a device's address for the host's", CUDA_ERROR_INVALID_VALUE,
                cuMemcpyHtoD(device, (void *)(uintptr_t)other, 64));
    EXPECT_CODE("not a stream", CUDA_ERROR_INVALID_HANDLE, cuMemcpyHtoDAsync(device, bytes, 64, (CUstream)bytes));
    EXPECT_CODE("no description", CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(NULL));
    OK(cuStreamSynchronize(stream));
}

int main(void)
{
    CUstream stream;
    begin();
    sem_init(&gate, 0, 0);
    OK(cuMemAlloc(&device, 4096));
    OK(cuMemAlloc(&other, 4096));
    OK(cuMemHostAlloc((void **)&pinned, 4096, 0));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    deviceToDeviceDoesNotWait();
    pinnedIsReadLate(stream);
    pageableIsStaged(stream);
    rowsAndElements();
    badArgumentsAreRefused(stream);
    return 0;
}
