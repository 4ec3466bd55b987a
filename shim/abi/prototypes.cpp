/* What the hooks take every call to be, once more: compiled against an installed toolkit's own headers by ACLSAN_CANN_INCLUDE, where a
 * difference is a conflicting declaration. A call that the toolkit doesn't have yet is no conflict; LACKS_MALLOC_CONFIG says that it doesn't
 * have the type either (build.rs asks). */
#include "acl/acl.h"
/* Media headers come in packages of their own: what is not installed is not checked, and the compiler says so. */
#if __has_include("acl/ops/acl_dvpp.h")
#define HAS_ACL_DVPP
#include "acl/ops/acl_dvpp.h"
#else
#pragma message("no acl/ops/acl_dvpp.h: acldvpp prototypes are not checked")
#endif
#if __has_include("acl/dvpp/hi_dvpp.h")
#define HAS_HI_DVPP
#include "acl/dvpp/hi_dvpp.h"
#else
#pragma message("no acl/dvpp/hi_dvpp.h: hi_mpi prototypes are not checked")
#endif

extern "C" {
aclError aclrtMalloc(void **, size_t, aclrtMemMallocPolicy);
aclError aclrtMallocAlign32(void **, size_t, aclrtMemMallocPolicy);
aclError aclrtMallocCached(void **, size_t, aclrtMemMallocPolicy);
#ifndef LACKS_MALLOC_CONFIG
aclError aclrtMallocWithCfg(void **, size_t, aclrtMemMallocPolicy, aclrtMallocConfig *);
aclError aclrtMallocForTaskScheduler(void **, size_t, aclrtMemMallocPolicy, aclrtMallocConfig *);
aclError aclrtMallocHostWithCfg(void **, uint64_t, aclrtMallocConfig *);
#endif
aclError aclrtFree(void *);
aclError aclrtFreeWithDevSync(void *);
aclError aclrtMallocHost(void **, size_t);
aclError aclrtFreeHost(void *);
aclError aclrtFreeHostWithDevSync(void *);
#ifdef HAS_ACL_DVPP
aclError acldvppMalloc(void **, size_t);
aclError acldvppFree(void *);
#ifndef LACKS_MALLOC_CONFIG
aclError acldvppMallocWithCfg(void **, size_t, aclrtMemMallocPolicy, aclrtMallocConfig *);
#endif
#endif
#ifdef HAS_HI_DVPP
hi_s32 hi_mpi_dvpp_malloc(hi_u32, hi_void **, hi_u64);
hi_s32 hi_mpi_dvpp_free(hi_void *);
#endif
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
aclError aclrtLaunchHostFunc(aclrtStream, void (*)(void *), void *);
aclError aclrtProcessReport(int32_t);
aclError aclrtReserveMemAddress(void **, size_t, size_t, void *, uint64_t);
aclError aclrtReserveMemAddressNoUCMemory(void **, size_t, size_t, void *, uint64_t);
aclError aclrtReleaseMemAddress(void *);
aclError aclrtMallocPhysical(aclrtDrvMemHandle *, size_t, const aclrtPhysicalMemProp *, uint64_t);
aclError aclrtFreePhysical(aclrtDrvMemHandle);
aclError aclrtMapMem(void *, size_t, size_t, aclrtDrvMemHandle, uint64_t);
aclError aclrtMemMapNoAccess(void *, size_t, size_t, aclrtDrvMemHandle, uint64_t);
aclError aclrtUnmapMem(void *);
aclError aclrtMemRetainAllocationHandle(void *, aclrtDrvMemHandle *);
aclError aclrtMemMapSelectedLink(void *, size_t, void *, uint32_t);
aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle, aclrtMemHandleType, uint64_t, uint64_t *);
aclError aclrtMemSetPidToShareableHandle(uint64_t, int32_t *, size_t);
aclError aclrtMemImportFromShareableHandle(uint64_t, int32_t, aclrtDrvMemHandle *);
aclError aclrtMemGetAddressRange(void *, void **, size_t *);
aclError aclrtGetDevice(int32_t *);
const char *aclrtGetSocName(void);
}

static_assert(ACL_MEM_MALLOC_HUGE_FIRST == 0 && ACL_MEM_MALLOC_NORMAL_ONLY == 2 && ACL_MEM_MALLOC_HUGE_ONLY_P2P == 4, "page policies");
static_assert(ACL_MEMCPY_HOST_TO_HOST == 0 && ACL_MEMCPY_DEVICE_TO_DEVICE == 3, "copy kinds");
static_assert(ACL_DEVICE == 0 && ACL_HOST == 1, "run modes");
static_assert(ACL_EVENT_RECORDED_STATUS_COMPLETE == 1, "event states");
