/* cuGetProcAddress by version and default stream, and the names of errors. */
#include <dlfcn.h>

#include "expect.h"

static CUdriverProcAddressQueryResult status;

static void *look(const char *name, int version, cuuint64_t flags)
{
    void *address = &status;
    OK(cuGetProcAddress(name, &address, version, flags, &status));
    return address;
}

int main(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    void *address;
    const char *text;
    EXPECT("loaded", driver);
    EXPECT("newest", look("cuMemAlloc", 12000, 0) == dlsym(driver, "cuMemAlloc_v2"));
    EXPECT("found", status == CU_GET_PROC_ADDRESS_SUCCESS);
    EXPECT("before it was there", !look("cuMemAllocAsync", 11000, 0));
    EXPECT("says so", status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    EXPECT("unknown", !look("cuNothing", 12000, 0) && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    EXPECT("private tables are not there", !look("cuGetExportTable", 12000, 0));
    EXPECT("legacy", look("cuMemAllocAsync", 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM) ==
                         dlsym(driver, "cuMemAllocAsync"));
    EXPECT("own", look("cuMemAllocAsync", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) ==
                      dlsym(driver, "cuMemAllocAsync_ptsz"));
    EXPECT("own, blocking", look("cuMemcpyDtoH", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) ==
                                dlsym(driver, "cuMemcpyDtoH_v2_ptds"));
    EXPECT("one for both", look("cuMemFree", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) ==
                               dlsym(driver, "cuMemFree_v2"));
    EXPECT("two forms", look("cuGetProcAddress", 11030, 0) == dlsym(driver, "cuGetProcAddress") &&
                            look("cuGetProcAddress", 12000, 0) == dlsym(driver, "cuGetProcAddress_v2"));
    EXPECT_CODE("later than the driver", CUDA_ERROR_INVALID_VALUE,
                cuGetProcAddress("cuInit", &address, CUDA_VERSION + 1, 0, &status));
    EXPECT_CODE("NULL", CUDA_ERROR_INVALID_VALUE, cuGetProcAddress(NULL, &address, 12000, 0, &status));
    OK(cuGetErrorName(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, &text));
    EXPECT("name", strcmp(text, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED") == 0);
    EXPECT_CODE("unknown", CUDA_ERROR_INVALID_VALUE, cuGetErrorString((CUresult)12345, &text));
    EXPECT("NULL for an unknown one", !text);
    dlclose(driver);
    return 0;
}
