/* Initialization, errors' names, devices and their attributes. */
#include <stdio.h>
#include <string.h>

#include "../engine/memory.h"
#include "../engine/state.h"

EXPORT CUresult cuInit(unsigned int flags)
{
    pthread_mutex_lock(&driver_lock);
    if (flags != 0) {
        return leave(CUDA_ERROR_INVALID_VALUE);
    }
    setInitialized();
    return leave(isInitialized() ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE);
}

EXPORT CUresult cuDriverGetVersion(int *version)
{
    if (!version) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

struct code {
    CUresult code;
    const char *name, *words;
};

#define ROW(name, number, words) {name, #name, words},
static const struct code codes[] = {CUSIM_CODES(ROW)};

static const struct code *findCode(CUresult code)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i].code == code) {
            return &codes[i];
        }
    }
    return NULL;
}

EXPORT CUresult cuGetErrorName(CUresult error, const char **text)
{
    const struct code *code = findCode(error);
    if (text) {
        *text = code ? code->name : NULL;
    }
    return text && code ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGetErrorString(CUresult error, const char **text)
{
    const struct code *code = findCode(error);
    if (text) {
        *text = code ? code->words : NULL;
    }
    return text && code ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static bool isDevice(CUdevice device)
{
    return device >= 0 && device < deviceCount();
}

/* For questions about a device. */
static CUresult enterDevice(CUdevice device, bool has_result)
{
    CUresult code = enterAnywhere();
    return code != CUDA_SUCCESS ? code
           : !isDevice(device)  ? CUDA_ERROR_INVALID_DEVICE
           : !has_result        ? CUDA_ERROR_INVALID_VALUE
                                : CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetCount(int *count)
{
    CUresult code = enterAnywhere();
    if (code == CUDA_SUCCESS && !count) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        *count = deviceCount();
    }
    return leave(code);
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    CUresult code = enterDevice(ordinal, device != NULL);
    if (code == CUDA_SUCCESS) {
        *device = ordinal;
    }
    return leave(code);
}

EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    CUresult code = enterDevice(device, name && length > 0);
    if (code == CUDA_SUCCESS) {
        snprintf(name, (size_t)length, "Simulated CUDA device");
    }
    return leave(code);
}

EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    CUresult code = enterDevice(device, uuid != NULL);
    if (code == CUDA_SUCCESS) {
        memset(uuid, 0, sizeof *uuid);
        memcpy(uuid->bytes, "cusim", 5);
        uuid->bytes[15] = (char)device;
    }
    return leave(code);
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    CUresult code = enterDevice(device, bytes != NULL);
    if (code == CUDA_SUCCESS) {
        *bytes = deviceCapacity();
    }
    return leave(code);
}

static const struct { CUdevice_attribute attribute; int value; } attributes[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 2147483647},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16},
    {CU_DEVICE_ATTRIBUTE_INTEGRATED, 0},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0},
    {CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 0},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 0},
};

EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    CUresult code = enterDevice(device, value != NULL && (int)attribute > 0);
    if (code == CUDA_SUCCESS) {
        *value = attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID ? device + 1 : 0;
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
            *value = attributes[i].attribute == attribute ? attributes[i].value : *value;
        }
    }
    return leave(code);
}

EXPORT CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    CUcontext context;
    CUresult code = enter(&context);
    if (code == CUDA_SUCCESS && (!free_bytes || !total)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS) {
        *total = deviceCapacity();
        *free_bytes = *total - spaceUsed(context->device);
    }
    return leave(code);
}
