/* What the hooks take every call to be, once more: compiled against an installed toolkit's own headers by ACLSAN_CANN_INCLUDE, where a
 * difference is a conflicting declaration. A call that the toolkit doesn't have yet is no conflict. */
#include "acl/acl.h"
#include "acl/dvpp/hi_dvpp.h"
#include "acl/ops/acl_dvpp.h"

extern "C" {
aclError aclrtMalloc(void **, size_t, aclrtMemMallocPolicy);
aclError aclrtMallocAlign32(void **, size_t, aclrtMemMallocPolicy);
aclError aclrtMallocCached(void **, size_t, aclrtMemMallocPolicy);
aclError aclrtMallocWithCfg(void **, size_t, aclrtMemMallocPolicy, aclrtMallocConfig *);
aclError aclrtMallocForTaskScheduler(void **, size_t, aclrtMemMallocPolicy, aclrtMallocConfig *);
aclError aclrtFree(void *);
aclError aclrtFreeWithDevSync(void *);
aclError aclrtMallocHost(void **, size_t);
aclError aclrtMallocHostWithCfg(void **, uint64_t, aclrtMallocConfig *);
aclError aclrtFreeHost(void *);
aclError aclrtFreeHostWithDevSync(void *);
aclError acldvppMalloc(void **, size_t);
aclError acldvppMallocWithCfg(void **, size_t, aclrtMemMallocPolicy, aclrtMallocConfig *);
aclError acldvppFree(void *);
hi_s32 hi_mpi_dvpp_malloc(hi_u32, hi_void **, hi_u64);
hi_s32 hi_mpi_dvpp_free(hi_void *);
aclError aclrtMemcpy(void *, size_t, const void *, size_t, aclrtMemcpyKind);
aclError aclrtMemcpyAsync(void *, size_t, const void *, size_t, aclrtMemcpyKind, aclrtStream);
aclError aclrtMemcpy2d(void *, size_t, const void *, size_t, size_t, size_t, aclrtMemcpyKind);
aclError aclrtMemcpy2dAsync(void *, size_t, const void *, size_t, size_t, size_t, aclrtMemcpyKind, aclrtStream);
aclError aclrtMemset(void *, size_t, int32_t, size_t);
aclError aclrtMemsetAsync(void *, size_t, int32_t, size_t, aclrtStream);
aclError aclInit(const char *);
aclError aclFinalize(void);
aclError aclFinalizeReference(uint64_t *);
aclError aclrtSetDevice(int32_t);
aclError aclrtResetDevice(int32_t);
aclError aclrtResetDeviceForce(int32_t);
aclError aclrtGetMemInfo(aclrtMemAttr, size_t *, size_t *);
aclError aclrtGetRunMode(aclrtRunMode *);
aclError aclrtCreateContext(aclrtContext *, int32_t);
aclError aclrtDestroyContext(aclrtContext);
aclError aclrtSetCurrentContext(aclrtContext);
aclError aclrtCreateStream(aclrtStream *);
aclError aclrtCreateStreamWithConfig(aclrtStream *, uint32_t, uint32_t);
aclError aclrtDestroyStream(aclrtStream);
aclError aclrtDestroyStreamForce(aclrtStream);
aclError aclrtSynchronizeStream(aclrtStream);
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream, int32_t);
aclError aclrtSynchronizeDevice(void);
aclError aclrtSynchronizeDeviceWithTimeout(int32_t);
aclError aclrtStreamQuery(aclrtStream, aclrtStreamStatus *);
aclError aclrtCreateEvent(aclrtEvent *);
aclError aclrtCreateEventWithFlag(aclrtEvent *, uint32_t);
aclError aclrtCreateEventExWithFlag(aclrtEvent *, uint32_t);
aclError aclrtDestroyEvent(aclrtEvent);
aclError aclrtRecordEvent(aclrtEvent, aclrtStream);
aclError aclrtResetEvent(aclrtEvent, aclrtStream);
aclError aclrtStreamWaitEvent(aclrtStream, aclrtEvent);
aclError aclrtSynchronizeEvent(aclrtEvent);
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent, int32_t);
aclError aclrtQueryEventStatus(aclrtEvent, aclrtEventRecordedStatus *);
aclError aclrtLaunchCallback(aclrtCallback, void *, aclrtCallbackBlockType, aclrtStream);
aclError aclrtLaunchHostFunc(aclrtStream, aclrtHostFunc, void *);
aclError aclrtProcessReport(int32_t);
aclError aclrtGetDevice(int32_t *);
const char *aclrtGetSocName(void);
}

static_assert(ACL_MEM_MALLOC_HUGE_FIRST == 0 && ACL_MEM_MALLOC_NORMAL_ONLY == 2 && ACL_MEM_MALLOC_HUGE_ONLY_P2P == 4, "page policies");
static_assert(ACL_MEMCPY_HOST_TO_HOST == 0 && ACL_MEMCPY_DEVICE_TO_DEVICE == 3, "copy kinds");
static_assert(ACL_DEVICE == 0 && ACL_HOST == 1, "run modes");
static_assert(ACL_EVENT_RECORDED_STATUS_COMPLETE == 1, "event states");
