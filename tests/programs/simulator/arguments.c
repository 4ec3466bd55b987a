//@ run
//@ link: acl_dvpp acl_dvpp_mpi
/* Each call's error code for refused arguments. */
#include <pthread.h>

#include "acl/dvpp/hi_dvpp.h"
#include "acl/ops/acl_dvpp.h"
#include "expect.h"

static void withoutContext(void)
{
    void *p = (void *)1;
    aclrtStream stream;
    size_t bytes;
    int32_t device;
    EXPECT_CODE("3.1", ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE("3.1", ACL_ERROR_RT_CONTEXT_NULL, aclrtMallocAlign32(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE("3.2", ACL_ERROR_RT_CONTEXT_NULL, aclrtMallocHost(&p, 100));
    EXPECT_CODE("3.11", ACL_ERROR_RT_CONTEXT_NULL, acldvppMalloc(&p, 100));
    EXPECT_CODE("3.10", ACL_ERROR_RT_CONTEXT_NULL, aclrtGetMemInfo(ACL_HBM_MEM, &bytes, &bytes));
    EXPECT_CODE("3.12", ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
    EXPECT_CODE("3.13", ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStream(&stream));
    EXPECT("3.1: a refused call leaves the pointer", p == (void *)1);
}

static void *inAnotherThread(void *unused)
{
    withoutContext(); /* contexts are current per thread */
    return unused;
}

int main(void)
{
    void *p = (void *)1;
    aclrtMallocAttribute attribute = {ACL_RT_MEM_ATTR_DEVICE_ID, {.deviceId = 1}};
    aclrtMallocConfig no_array = {NULL, 1}, empty = {NULL, 0}, elsewhere = {&attribute, 1};
    pthread_t thread;

    EXPECT("clients: onnxruntime", aclGetRecentErrMsg() == NULL);
    withoutContext();
    OK(aclrtSetDevice(0));
    pthread_create(&thread, NULL, inAnotherThread, NULL);
    pthread_join(thread, NULL);

    EXPECT_CODE("3.1", ACL_ERROR_INVALID_PARAM, aclrtMalloc(NULL, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE("3.1", ACL_ERROR_INVALID_PARAM, aclrtMalloc(&p, 0, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE("3.1", ACL_ERROR_INVALID_PARAM, aclrtMalloc(&p, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE("3.1", ACL_ERROR_INVALID_PARAM, aclrtMallocCached(&p, 0, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE("3.1", ACL_ERROR_INVALID_PARAM, aclrtMallocAlign32(&p, 0, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE("3.1", ACL_ERROR_INVALID_PARAM, aclrtMallocWithCfg(&p, 0, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
    EXPECT_CODE("3.2", ACL_ERROR_INVALID_PARAM, aclrtMallocHost(&p, 0));
    EXPECT_CODE("3.2", ACL_ERROR_INVALID_PARAM, aclrtMallocHost(NULL, 100));
    EXPECT_CODE("3.11", ACL_ERROR_INVALID_PARAM, acldvppMalloc(&p, 0));
    EXPECT_CODE("3.11", (int)0xA0028006, hi_mpi_dvpp_malloc(0, NULL, 100));
    EXPECT("3.1: a refused call leaves the pointer", p == (void *)1);

    EXPECT_CODE("3.1 cfg", ACL_ERROR_INVALID_PARAM, aclrtMallocWithCfg(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST, &no_array));
    EXPECT_CODE("3.1 cfg", ACL_ERROR_RT_PARAM_INVALID, aclrtMallocWithCfg(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST, &empty));
    EXPECT("3.1 cfg", aclrtMallocWithCfg(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST, &elsewhere) != ACL_SUCCESS);
    attribute.value.deviceId = 0;
    OK(aclrtMallocWithCfg(&p, 100, (aclrtMemMallocPolicy)(ACL_MEM_MALLOC_HUGE_ONLY | ACL_MEM_TYPE_HIGH_BAND_WIDTH),
                          &elsewhere));

    EXPECT_CODE("3.1", ACL_ERROR_INVALID_PARAM, aclrtFree(NULL));
    EXPECT_CODE("3.1", ACL_ERROR_INVALID_PARAM, aclrtFreeWithDevSync(NULL));
    EXPECT_CODE("3.2", ACL_ERROR_INVALID_PARAM, aclrtFreeHost(NULL));
    EXPECT_CODE("3.11", ACL_ERROR_INVALID_PARAM, acldvppFree(NULL));
    EXPECT_CODE("3.12", ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(99));
    EXPECT_CODE("3.12", ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(-1));
    EXPECT("3.12", aclGetRecentErrMsg() != NULL);
    return 0;
}
