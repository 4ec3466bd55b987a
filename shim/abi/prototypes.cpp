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
#if __has_include("aclnn/acl_meta.h")
#define HAS_ACLNN
#include "aclnn/acl_meta.h"
#else
#pragma message("no aclnn/acl_meta.h: aclnn prototypes are not checked")
#endif
#if __has_include("hccl/hccl.h")
#define HAS_HCCL
#include "hccl/hccl.h"
#else
#pragma message("no hccl/hccl.h: collectives are not checked")
#endif
#if __has_include("acl/acl_op_compiler.h")
#define HAS_OP_COMPILER
#include "acl/acl_op_compiler.h"
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
aclError aclrtGetDevice(int32_t *);
const char *aclrtGetSocName(void);
#ifndef LACKS_MALLOC_CONFIG
aclError aclrtLaunchKernel(aclrtFuncHandle, uint32_t, const void *, size_t, aclrtStream);
aclError aclrtLaunchKernelV2(aclrtFuncHandle, uint32_t, const void *, size_t, aclrtLaunchKernelCfg *, aclrtStream);
aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle, uint32_t, aclrtStream, aclrtLaunchKernelCfg *, aclrtArgsHandle, void *);
#endif
aclDataBuffer *aclCreateDataBuffer(void *, size_t);
aclError aclDestroyDataBuffer(const aclDataBuffer *);
aclError aclUpdateDataBuffer(aclDataBuffer *, void *, size_t);
void *aclGetDataBufferAddr(const aclDataBuffer *);
size_t aclGetDataBufferSizeV2(const aclDataBuffer *);
size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset *);
aclDataBuffer *aclmdlGetDatasetBuffer(const aclmdlDataset *, size_t);
aclError aclmdlLoadFromFile(const char *, uint32_t *);
aclError aclmdlLoadFromMem(const void *, size_t, uint32_t *);
aclError aclmdlLoadFromFileWithMem(const char *, uint32_t *, void *, size_t, void *, size_t);
aclError aclmdlLoadFromMemWithMem(const void *, size_t, uint32_t *, void *, size_t, void *, size_t);
aclError aclmdlSetConfigOpt(aclmdlConfigHandle *, aclmdlConfigAttr, const void *, size_t);
aclError aclmdlLoadWithConfig(const aclmdlConfigHandle *, uint32_t *);
aclError aclmdlUnload(uint32_t);
aclError aclmdlExecute(uint32_t, const aclmdlDataset *, aclmdlDataset *);
aclError aclmdlExecuteAsync(uint32_t, const aclmdlDataset *, aclmdlDataset *, aclrtStream);
#ifndef LACKS_MALLOC_CONFIG
aclError aclmdlExecuteV2(uint32_t, const aclmdlDataset *, aclmdlDataset *, aclrtStream, const aclmdlExecConfigHandle *);
aclError aclmdlExecuteAsyncV2(uint32_t, const aclmdlDataset *, aclmdlDataset *, aclrtStream, const aclmdlExecConfigHandle *);
#endif
aclError aclopExecute(const char *, int, const aclTensorDesc *const[], const aclDataBuffer *const[], int, const aclTensorDesc *const[],
    aclDataBuffer *const[], const aclopAttr *, aclrtStream);
aclError aclopExecuteV2(const char *, int, aclTensorDesc *[], aclDataBuffer *[], int, aclTensorDesc *[], aclDataBuffer *[], aclopAttr *,
    aclrtStream);
aclError aclopExecWithHandle(aclopHandle *, int, const aclDataBuffer *const[], int, aclDataBuffer *const[], aclrtStream);
aclError aclopCast(const aclTensorDesc *, const aclDataBuffer *, const aclTensorDesc *, aclDataBuffer *, uint8_t, aclrtStream);
#ifdef HAS_OP_COMPILER
aclError aclopCompileAndExecute(const char *, int, const aclTensorDesc *const[], const aclDataBuffer *const[], int,
    const aclTensorDesc *const[], aclDataBuffer *const[], const aclopAttr *, aclopEngineType, aclopCompileType, const char *, aclrtStream);
#endif
#ifdef HAS_ACLNN
aclTensor *aclCreateTensor(const int64_t *, uint64_t, aclDataType, const int64_t *, int64_t, aclFormat, const int64_t *, uint64_t, void *);
aclTensorList *aclCreateTensorList(const aclTensor *const *, uint64_t);
aclnnStatus aclDestroyTensor(const aclTensor *);
aclnnStatus aclDestroyTensorList(const aclTensorList *);
aclnnStatus aclInitTensor(aclTensor *, const int64_t *, uint64_t, aclDataType, const int64_t *, int64_t, aclFormat, const int64_t *, uint64_t,
    void *);
aclnnStatus aclSetRawTensorAddr(aclTensor *, void *);
aclnnStatus aclSetInputTensorAddr(aclOpExecutor *, const size_t, aclTensor *, void *);
aclnnStatus AclSetOutputTensorAddr(aclOpExecutor *, const size_t, aclTensor *, void *);
aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *, size_t, const size_t, aclTensorList *, void *);
aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *);
aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *);
#endif
#ifdef HAS_HCCL
HcclResult HcclAllReduce(void *, void *, uint64_t, HcclDataType, HcclReduceOp, HcclComm, aclrtStream);
HcclResult HcclReduce(void *, void *, uint64_t, HcclDataType, HcclReduceOp, uint32_t, HcclComm, aclrtStream);
HcclResult HcclBroadcast(void *, uint64_t, HcclDataType, uint32_t, HcclComm, aclrtStream);
HcclResult HcclReduceScatter(void *, void *, uint64_t, HcclDataType, HcclReduceOp, HcclComm, aclrtStream);
HcclResult HcclScatter(void *, void *, uint64_t, HcclDataType, uint32_t, HcclComm, aclrtStream);
HcclResult HcclAllGather(void *, void *, uint64_t, HcclDataType, HcclComm, aclrtStream);
HcclResult HcclSend(void *, uint64_t, HcclDataType, uint32_t, HcclComm, aclrtStream);
HcclResult HcclRecv(void *, uint64_t, HcclDataType, uint32_t, HcclComm, aclrtStream);
HcclResult HcclAlltoAll(const void *, uint64_t, HcclDataType, const void *, uint64_t, HcclDataType, HcclComm, aclrtStream);
HcclResult HcclAlltoAllV(const void *, const void *, const void *, HcclDataType, const void *, const void *, const void *, HcclDataType,
    HcclComm, aclrtStream);
HcclResult HcclBarrier(HcclComm, aclrtStream);
HcclResult HcclGetRankSize(HcclComm, uint32_t *);
HcclResult HcclGetRankId(HcclComm, uint32_t *);
#endif
}

static_assert(ACL_FLOAT == 0 && ACL_INT64 == 9 && ACL_COMPLEX128 == 17 && ACL_BF16 == 27 && ACL_INT4 == 29, "element types");
static_assert(ACL_FORMAT_NCHW == 0 && ACL_FORMAT_ND == 2 && ACL_FORMAT_NC1HWC0 == 3 && ACL_FORMAT_FRACTAL_NZ == 29, "formats");
#ifdef HAS_HCCL
static_assert(HCCL_DATA_TYPE_FP32 == 4 && HCCL_DATA_TYPE_BFP16 == 11, "element types of collectives");
#endif

static_assert(ACL_MEM_MALLOC_HUGE_FIRST == 0 && ACL_MEM_MALLOC_NORMAL_ONLY == 2 && ACL_MEM_MALLOC_HUGE_ONLY_P2P == 4, "page policies");
static_assert(ACL_MEMCPY_HOST_TO_HOST == 0 && ACL_MEMCPY_DEVICE_TO_DEVICE == 3, "copy kinds");
static_assert(ACL_DEVICE == 0 && ACL_HOST == 1, "run modes");
static_assert(ACL_EVENT_RECORDED_STATUS_COMPLETE == 1, "event states");
