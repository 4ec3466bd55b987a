/* The prototypes that the hooks assume, once more: compiled against the headers of an installed toolkit by ACLSAN_CANN_INCLUDE, where
 * a difference is a conflicting declaration. A call that the toolkit lacks is no conflict; LACKS_MALLOC_CONFIG says that it lacks the
 * type as well (build.rs finds out). */
#include "acl/acl.h"
/* Media headers come in separate packages: those not installed are not checked, and the compiler says so. */
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
#if __has_include("hiaiengine/c_graph.h")
#define HAS_HIAI
#include "hiaiengine/c_graph.h"
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
/* Stream-ordered pools: since CANN 9.1. */
#if __has_include("acl/acl_rt_memory_soma.h")
#define HAS_MEM_POOL
#include "acl/acl_rt_memory_soma.h"
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
#ifdef HAS_ACL_DVPP
acldvppPicDesc *acldvppCreatePicDesc();
aclError acldvppDestroyPicDesc(acldvppPicDesc *);
void *acldvppGetPicDescData(const acldvppPicDesc *);
uint32_t acldvppGetPicDescSize(const acldvppPicDesc *);
acldvppBatchPicDesc *acldvppCreateBatchPicDesc(uint32_t);
aclError acldvppDestroyBatchPicDesc(acldvppBatchPicDesc *);
acldvppPicDesc *acldvppGetPicDesc(acldvppBatchPicDesc *, uint32_t);
acldvppStreamDesc *acldvppCreateStreamDesc();
aclError acldvppDestroyStreamDesc(acldvppStreamDesc *);
void *acldvppGetStreamDescData(const acldvppStreamDesc *);
uint32_t acldvppGetStreamDescSize(const acldvppStreamDesc *);
aclError acldvppVpcResizeAsync(acldvppChannelDesc *, acldvppPicDesc *, acldvppPicDesc *, acldvppResizeConfig *, aclrtStream);
aclError acldvppVpcCropAsync(acldvppChannelDesc *, acldvppPicDesc *, acldvppPicDesc *, acldvppRoiConfig *, aclrtStream);
aclError acldvppVpcCropResizeAsync(acldvppChannelDesc *, acldvppPicDesc *, acldvppPicDesc *, acldvppRoiConfig *, acldvppResizeConfig *,
                                   aclrtStream);
aclError acldvppVpcCropAndPasteAsync(acldvppChannelDesc *, acldvppPicDesc *, acldvppPicDesc *, acldvppRoiConfig *, acldvppRoiConfig *,
                                     aclrtStream);
aclError acldvppVpcCropResizePasteAsync(acldvppChannelDesc *, acldvppPicDesc *, acldvppPicDesc *, acldvppRoiConfig *, acldvppRoiConfig *,
                                        acldvppResizeConfig *, aclrtStream);
aclError acldvppVpcBatchCropAsync(acldvppChannelDesc *, acldvppBatchPicDesc *, uint32_t *, uint32_t, acldvppBatchPicDesc *,
                                  acldvppRoiConfig *[], aclrtStream);
aclError acldvppVpcBatchCropResizeAsync(acldvppChannelDesc *, acldvppBatchPicDesc *, uint32_t *, uint32_t, acldvppBatchPicDesc *,
                                        acldvppRoiConfig *[], acldvppResizeConfig *, aclrtStream);
aclError acldvppVpcBatchCropResizePasteAsync(acldvppChannelDesc *, acldvppBatchPicDesc *, uint32_t *, uint32_t, acldvppBatchPicDesc *,
                                             acldvppRoiConfig *[], acldvppRoiConfig *[], acldvppResizeConfig *, aclrtStream);
aclError acldvppVpcConvertColorAsync(acldvppChannelDesc *, acldvppPicDesc *, acldvppPicDesc *, aclrtStream);
aclError acldvppJpegDecodeAsync(acldvppChannelDesc *, const void *, uint32_t, acldvppPicDesc *, aclrtStream);
aclError acldvppVpcBatchCropAndPasteAsync(acldvppChannelDesc *, acldvppBatchPicDesc *, uint32_t *, uint32_t, acldvppBatchPicDesc *,
                                          acldvppRoiConfig *[], acldvppRoiConfig *[], aclrtStream);
aclError acldvppPngDecodeAsync(acldvppChannelDesc *, const void *, uint32_t, acldvppPicDesc *, aclrtStream);
aclError acldvppJpegEncodeAsync(acldvppChannelDesc *, acldvppPicDesc *, const void *, uint32_t *, acldvppJpegeConfig *, aclrtStream);
acldvppChannelDesc *acldvppCreateChannelDesc();
aclError acldvppDestroyChannelDesc(acldvppChannelDesc *);
aclError acldvppCreateChannel(acldvppChannelDesc *);
aclError acldvppDestroyChannel(acldvppChannelDesc *);
acldvppResizeConfig *acldvppCreateResizeConfig();
aclError acldvppDestroyResizeConfig(acldvppResizeConfig *);
acldvppRoiConfig *acldvppCreateRoiConfig(uint32_t, uint32_t, uint32_t, uint32_t);
aclError acldvppDestroyRoiConfig(acldvppRoiConfig *);
acldvppJpegeConfig *acldvppCreateJpegeConfig();
aclError acldvppDestroyJpegeConfig(acldvppJpegeConfig *);
acldvppBorderConfig *acldvppCreateBorderConfig();
aclError acldvppDestroyBorderConfig(acldvppBorderConfig *);
acldvppLutMap *acldvppCreateLutMap();
aclError acldvppDestroyLutMap(acldvppLutMap *);
acldvppHist *acldvppCreateHist();
aclError acldvppDestroyHist(acldvppHist *);
aclvdecChannelDesc *aclvdecCreateChannelDesc();
aclError aclvdecDestroyChannelDesc(aclvdecChannelDesc *);
aclvdecFrameConfig *aclvdecCreateFrameConfig();
aclError aclvdecDestroyFrameConfig(aclvdecFrameConfig *);
aclvencChannelDesc *aclvencCreateChannelDesc();
aclError aclvencDestroyChannelDesc(aclvencChannelDesc *);
aclError aclvencCreateChannel(aclvencChannelDesc *);
aclError aclvencDestroyChannel(aclvencChannelDesc *);
aclvencFrameConfig *aclvencCreateFrameConfig();
aclError aclvencDestroyFrameConfig(aclvencFrameConfig *);
aclError aclvdecCreateChannel(aclvdecChannelDesc *);
aclError aclvdecDestroyChannel(aclvdecChannelDesc *);
aclError aclvdecSendFrame(aclvdecChannelDesc *, acldvppStreamDesc *, acldvppPicDesc *, aclvdecFrameConfig *, void *);
aclError aclvdecSendSkippedFrame(aclvdecChannelDesc *, acldvppStreamDesc *, aclvdecFrameConfig *, void *);
#endif
#ifdef HAS_HI_DVPP
hi_s32 hi_mpi_vpc_crop(hi_vpc_chn, const hi_vpc_pic_info *, hi_vpc_crop_region_info[], hi_u32, hi_u32 *, hi_s32);
hi_s32 hi_mpi_vpc_resize(hi_vpc_chn, const hi_vpc_pic_info *, hi_vpc_pic_info *, hi_double, hi_double, hi_u32, hi_u32 *, hi_s32);
hi_s32 hi_mpi_vpc_crop_resize(hi_vpc_chn, const hi_vpc_pic_info *, hi_vpc_crop_resize_region[], hi_u32, hi_u32 *, hi_s32);
hi_s32 hi_mpi_vpc_crop_resize_paste(hi_vpc_chn, const hi_vpc_pic_info *, hi_vpc_crop_resize_paste_region[], hi_u32, hi_u32 *, hi_s32);
hi_s32 hi_mpi_vpc_convert_color(hi_vpc_chn, const hi_vpc_pic_info *, hi_vpc_pic_info *, hi_u32 *, hi_s32);
static_assert(sizeof(hi_vpc_crop_resize_region) == 64 && sizeof(hi_vpc_crop_resize_paste_region) == 72, "media records");
/* Blocks of pools have no types in toolkits before CANN 8.1. */
#ifndef LACKS_MALLOC_CONFIG
hi_vb_pool hi_mpi_vb_create_pool(const hi_vb_pool_config *);
hi_s32 hi_mpi_vb_destroy_pool(hi_vb_pool);
hi_vb_blk hi_mpi_vb_get_block(hi_vb_pool, hi_u64, const hi_char *);
hi_s32 hi_mpi_vb_release_block(hi_vb_blk);
hi_void *hi_mpi_vb_handle_to_addr(hi_vb_blk);
hi_s32 hi_mpi_vb_block_copyref(hi_vb_blk);
static_assert(sizeof(hi_vb_pool_config) == 48, "media records");
#endif
hi_s32 hi_mpi_vdec_send_stream(hi_vdec_chn, const hi_vdec_stream *, hi_vdec_pic_info *, hi_s32);
static_assert(sizeof(hi_vdec_stream) == 48 && sizeof(hi_vdec_pic_info) == 48 && sizeof(hi_vpc_pic_info) == 32, "media records");
static_assert(sizeof(hi_vpc_crop_region_info) == 48 && HI_PT_JPEG == 26, "media records");
#endif
#ifdef HAS_HIAI
void *HIAI_DMalloc(const uint32_t, const uint32_t, uint32_t);
HIAI_StatusT HIAI_DFree(void *);
void *HIAI_DVPP_DMalloc(const uint32_t);
HIAI_StatusT HIAI_DVPP_DFree(void *);
HIAI_StatusT HIAI_C_SendData(HIAI_PortID_t, const char *, size_t, void *);
#endif
aclError aclrtMemcpy(void *, size_t, const void *, size_t, aclrtMemcpyKind);
aclError aclrtMemcpyAsync(void *, size_t, const void *, size_t, aclrtMemcpyKind, aclrtStream);
aclError aclrtMemcpy2d(void *, size_t, const void *, size_t, size_t, size_t, aclrtMemcpyKind);
aclError aclrtMemcpy2dAsync(void *, size_t, const void *, size_t, size_t, size_t, aclrtMemcpyKind, aclrtStream);
aclError aclrtMemset(void *, size_t, int32_t, size_t);
aclError aclrtMemsetAsync(void *, size_t, int32_t, size_t, aclrtStream);
aclError aclrtMemsetD32(void *, size_t, uint32_t, size_t);
aclError aclrtMemsetD32Async(void *, size_t, uint32_t, size_t, aclrtStream);
aclError aclrtMemcpyAsyncWithCondition(void *, size_t, const void *, size_t, aclrtMemcpyKind, aclrtStream);
aclError aclrtMemcpyAsyncWithOffset(void **, size_t, size_t, const void **, size_t, size_t, aclrtMemcpyKind, aclrtStream);
aclError aclrtSetMemcpyDesc(void *, aclrtMemcpyKind, void *, void *, size_t, void *);
aclError aclrtMemcpyAsyncWithDesc(void *, aclrtMemcpyKind, aclrtStream);
aclError aclrtGetSymbolAddress(const void *, void **);
aclError aclrtGetSymbolSize(const void *, size_t *);
aclError aclrtMemcpyFromSymbol(void *, size_t, const void *, size_t, size_t, aclrtMemcpyKind);
aclError aclrtMemcpyFromSymbolAsync(void *, size_t, const void *, size_t, size_t, aclrtMemcpyKind, aclrtStream);
aclError aclrtMemcpyToSymbol(const void *, const void *, size_t, size_t, aclrtMemcpyKind);
aclError aclrtMemcpyToSymbolAsync(const void *, const void *, size_t, size_t, aclrtMemcpyKind, aclrtStream);
aclError aclrtValueWrite(void *, uint64_t, uint32_t, aclrtStream);
aclError aclrtValueWait(void *, uint64_t, uint32_t, aclrtStream);
aclError aclrtMemFlush(void *, size_t);
aclError aclrtMemInvalidate(void *, size_t);
aclError aclrtStreamWaitEventWithTimeout(aclrtStream, aclrtEvent, int32_t);
aclError aclrtStreamWaitEventWithFlag(aclrtStream, aclrtEvent, uint32_t, uint32_t);
aclError aclrtSubscribeReport(uint64_t, aclrtStream);
aclError aclrtUnSubscribeReport(uint64_t, aclrtStream);
aclrtAllocatorDesc aclrtAllocatorCreateDesc();
aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc);
aclError aclrtAllocatorRegister(aclrtStream, aclrtAllocatorDesc);
aclError aclrtAllocatorUnregister(aclrtStream);
/* Types added between CANN 8.1 (minor 12 or less) and 8.5. */
#if ACL_MINOR_VERSION >= 16
aclError aclrtMemcpyBatch(void **, size_t *, void **, size_t *, size_t, aclrtMemcpyBatchAttr *, size_t *, size_t, size_t *);
aclError aclrtMemcpyBatchV2(void **, size_t *, void **, size_t *, size_t, aclrtMemcpyBatchAttr *, size_t *, size_t);
aclError aclrtMemcpyBatchAsync(void **, size_t *, void **, size_t *, size_t, aclrtMemcpyBatchAttr *, size_t *, size_t, size_t *, aclrtStream);
aclError aclrtMemcpyBatchAsyncV2(void **, size_t *, void **, size_t *, size_t, aclrtMemcpyBatchAttr *, size_t *, size_t, aclrtStream);
aclError aclrtGetOverflowStatus(void *, size_t, aclrtStream);
aclError aclrtGetFloatOverflowStatus(void *, uint64_t, aclrtStream);
aclError aclrtNpuGetFloatOverFlowStatus(void *, uint64_t, uint32_t, aclrtStream);
aclError aclrtReduceAsync(void *, const void *, uint64_t, aclrtReduceKind, aclDataType, aclrtStream, void *);
aclError aclrtCmoAsync(void *, size_t, aclrtCmoType, aclrtStream);
aclError aclrtStreamStop(aclrtStream);
aclError aclrtActiveStream(aclrtStream, aclrtStream);
aclError aclmdlRIAbort(aclmdlRI);
aclrtGroupInfo *aclrtCreateGroupInfo();
aclError aclrtDestroyGroupInfo(aclrtGroupInfo *);
aclError aclrtCreateLabel(aclrtLabel *);
aclError aclrtDestroyLabel(aclrtLabel);
aclError aclrtCreateLabelList(aclrtLabel *, size_t, aclrtLabelList *);
aclError aclrtDestroyLabelList(aclrtLabelList);
aclrtBinary aclrtCreateBinary(const void *, size_t);
aclError aclrtDestroyBinary(aclrtBinary);
aclError aclrtBinaryLoad(const aclrtBinary, aclrtBinHandle *);
aclError aclrtBinaryLoadFromData(const void *, size_t, const aclrtBinaryLoadOptions *, aclrtBinHandle *);
aclError aclrtBinaryLoadFromFile(const char *, aclrtBinaryLoadOptions *, aclrtBinHandle *);
aclError aclrtBinaryUnLoad(aclrtBinHandle);
aclError aclrtAllocBuf(aclrtMbuf *, size_t);
aclError aclrtFreeBuf(aclrtMbuf);
aclError aclrtGetBufData(const aclrtMbuf, void **, size_t *);
aclError aclrtCopyBufRef(const aclrtMbuf, aclrtMbuf *);
aclError aclrtAppendBufChain(aclrtMbuf, aclrtMbuf);
aclError aclrtGetBufFromChain(aclrtMbuf, uint32_t, aclrtMbuf *);
aclError aclrtCreateNotify(aclrtNotify *, uint64_t);
aclError aclrtDestroyNotify(aclrtNotify);
aclError aclrtRecordNotify(aclrtNotify, aclrtStream);
aclError aclrtWaitAndResetNotify(aclrtNotify, aclrtStream, uint32_t);
aclError aclrtCntNotifyCreate(aclrtCntNotify *, uint64_t);
aclError aclrtCntNotifyDestroy(aclrtCntNotify);
aclError aclrtCntNotifyRecord(aclrtCntNotify, aclrtStream, aclrtCntNotifyRecordInfo *);
aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify, aclrtStream, aclrtCntNotifyWaitInfo *);
aclError aclrtCntNotifyReset(aclrtCntNotify, aclrtStream);
aclError aclmdlRICaptureBegin(aclrtStream, aclmdlRICaptureMode);
aclError aclmdlRICaptureToModelRIBegin(aclrtStream, aclmdlRI, aclmdlRICaptureMode);
aclError aclmdlRICaptureEnd(aclrtStream, aclmdlRI *);
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *);
aclError aclmdlRIExecute(aclmdlRI, int32_t);
aclError aclmdlRIExecuteAsync(aclmdlRI, aclrtStream);
aclError aclmdlRIDestroy(aclmdlRI);
aclError aclmdlRIBuildBegin(aclmdlRI *, uint32_t);
aclError aclmdlRIBindStream(aclmdlRI, aclrtStream, uint32_t);
aclError aclmdlRIEndTask(aclmdlRI, aclrtStream);
aclError aclmdlRIBuildEnd(aclmdlRI, void *);
aclError aclmdlRIUnbindStream(aclmdlRI, aclrtStream);
aclError aclmdlRIUpdate(aclmdlRI);
aclError aclrtSetLabel(aclrtLabel, aclrtStream);
aclError aclrtSwitchLabelByIndex(void *, uint32_t, aclrtLabelList, aclrtStream);
aclError aclrtSwitchStream(void *, aclrtCondition, void *, aclrtCompareDataType, aclrtStream, aclrtStream, aclrtStream);
#endif
#ifdef ACL_EVENT_RECORD_EXTERNAL
aclError aclrtRecordEventWithFlag(aclrtEvent, aclrtStream, uint32_t);
#endif
#ifdef ACL_IPC_EVENT_HANDLE_SIZE
aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle, aclrtEvent *);
aclError aclrtLaunchKernelWithArgsArray(void *, uint32_t, aclrtStream, aclrtLaunchKernelCfg *, void **);
#endif
#if ACL_MINOR_VERSION >= 16
aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *);
aclError aclrtNotifyImportByKey(aclrtNotify *, const char *, uint64_t);
#endif
#ifdef HAS_MEM_POOL
aclError aclrtMemPoolCreate(aclrtMemPool *, const aclrtMemPoolProps *);
aclError aclrtMemPoolDestroy(const aclrtMemPool);
aclError aclrtMemPoolSetAttr(aclrtMemPool, aclrtMemPoolAttr, void *);
aclError aclrtMemPoolGetAttr(aclrtMemPool, aclrtMemPoolAttr, void *);
aclError aclrtMemPoolMallocAsync(void **, size_t, aclrtMemPool, aclrtStream);
aclError aclrtMemPoolFreeAsync(void *, aclrtStream);
aclError aclrtMemPoolTrimTo(aclrtMemPool, size_t);
#endif
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
#ifndef LACKS_MALLOC_CONFIG
aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle();
aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *);
aclError aclrtCreateStreamV2(aclrtStream *, const aclrtStreamConfigHandle *);
#endif
aclError aclrtDestroyStream(aclrtStream);
aclError aclrtDestroyStreamForce(aclrtStream);
aclError aclrtStreamAbort(aclrtStream);
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
#include "model_prototypes.h"
aclError aclopExecute(const char *, int, const aclTensorDesc *const[], const aclDataBuffer *const[], int, const aclTensorDesc *const[],
    aclDataBuffer *const[], const aclopAttr *, aclrtStream);
aclError aclopExecuteV2(const char *, int, aclTensorDesc *[], aclDataBuffer *[], int, aclTensorDesc *[], aclDataBuffer *[], aclopAttr *,
    aclrtStream);
aclError aclopExecWithHandle(aclopHandle *, int, const aclDataBuffer *const[], int, aclDataBuffer *const[], aclrtStream);
aclTensorDesc *aclCreateTensorDesc(aclDataType, int, const int64_t *, aclFormat);
void aclDestroyTensorDesc(const aclTensorDesc *);
aclopAttr *aclopCreateAttr();
void aclopDestroyAttr(const aclopAttr *);
aclError aclopCreateHandle(const char *, int, const aclTensorDesc *const[], int, const aclTensorDesc *const[], const aclopAttr *,
    aclopHandle **);
void aclopDestroyHandle(aclopHandle *);
aclError aclopCast(const aclTensorDesc *, const aclDataBuffer *, const aclTensorDesc *, aclDataBuffer *, uint8_t, aclrtStream);
#ifdef HAS_OP_COMPILER
aclError aclopCompileAndExecute(const char *, int, const aclTensorDesc *const[], const aclDataBuffer *const[], int,
    const aclTensorDesc *const[], aclDataBuffer *const[], const aclopAttr *, aclopEngineType, aclopCompileType, const char *, aclrtStream);
aclError aclopCompileAndExecuteV2(const char *, int, aclTensorDesc *[], aclDataBuffer *[], int, aclTensorDesc *[], aclDataBuffer *[],
    aclopAttr *, aclopEngineType, aclopCompileType, const char *, aclrtStream);
#endif
#ifdef HAS_ACLNN
aclTensor *aclCreateTensor(const int64_t *, uint64_t, aclDataType, const int64_t *, int64_t, aclFormat, const int64_t *, uint64_t, void *);
aclTensorList *aclCreateTensorList(const aclTensor *const *, uint64_t);
aclnnStatus aclDestroyTensor(const aclTensor *);
aclnnStatus aclDestroyTensorList(const aclTensorList *);
aclScalar *aclCreateScalar(void *, aclDataType);
aclnnStatus aclDestroyScalar(const aclScalar *);
aclScalarList *aclCreateScalarList(const aclScalar *const *, uint64_t);
aclnnStatus aclDestroyScalarList(const aclScalarList *);
aclBoolArray *aclCreateBoolArray(const bool *, uint64_t);
aclnnStatus aclDestroyBoolArray(const aclBoolArray *);
aclFloatArray *aclCreateFloatArray(const float *, uint64_t);
aclnnStatus aclDestroyFloatArray(const aclFloatArray *);
aclIntArray *aclCreateIntArray(const int64_t *, uint64_t);
aclnnStatus aclDestroyIntArray(const aclIntArray *);
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
HcclResult HcclCommInitAll(uint32_t, int32_t *, HcclComm *);
HcclResult HcclCommInitRootInfo(uint32_t, const HcclRootInfo *, uint32_t, HcclComm *);
HcclResult HcclCommDestroy(HcclComm);
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
HcclResult HcclAlltoAllVC(const void *, const void *, HcclDataType, const void *, HcclDataType, HcclComm, aclrtStream);
HcclResult HcclReduceScatterV(void *, const void *, const void *, void *, uint64_t, HcclDataType, HcclReduceOp, HcclComm, aclrtStream);
HcclResult HcclAllGatherV(void *, uint64_t, void *, const void *, const void *, HcclDataType, HcclComm, aclrtStream);
HcclResult HcclBatchSendRecv(HcclSendRecvItem *, uint32_t, HcclComm, aclrtStream);
HcclResult HcclBarrier(HcclComm, aclrtStream);
HcclResult HcclGetRankSize(HcclComm, uint32_t *);
HcclResult HcclGetRankId(HcclComm, uint32_t *);
#endif
#ifndef LACKS_MALLOC_CONFIG
aclError aclrtPointerGetAttributes(const void *, aclrtPtrAttributes *);
#endif
aclError aclrtHostRegister(void *, uint64_t, aclrtHostRegisterType, void **);
aclError aclrtHostRegisterV2(void *, uint64_t, uint32_t);
aclError aclrtHostGetDevicePointer(void *, void **, uint32_t);
aclError aclrtHostUnregister(void *);
aclError aclrtIpcMemGetExportKey(void *, size_t, char *, size_t, uint64_t);
aclError aclrtIpcMemImportByKey(void **, const char *, uint64_t);
aclError aclrtIpcMemClose(const char *);
aclError aclrtIpcMemSetImportPid(const char *, int32_t *, size_t);
aclError aclrtDeviceGetBareTgid(int32_t *);
aclError aclrtMemAllocManaged(void **, uint64_t, uint32_t);
/* The first toolkit whose headers have the types of the rest is CANN 9.1, with this version. */
#if ACL_MINOR_VERSION >= 17
aclError aclrtIpcMemSetAttr(const char *, aclrtIpcMemAttrType, uint64_t);
aclError aclrtIpcMemImportPidInterServer(const char *, aclrtServerPid *, size_t);
aclError aclrtHostMemMapCapabilities(uint32_t, aclrtHacType, aclrtHostMemMapCapability *);
aclError aclrtMemManagedAdvise(const void *const, uint64_t, aclrtMemManagedAdviseType, aclrtMemManagedLocation);
aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute, const void *, size_t, void *, size_t);
aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *, size_t, const void *, size_t, void **, size_t *);
aclError aclrtMemManagedPrefetchAsync(const void *, size_t, aclrtMemManagedLocation, uint32_t, aclrtStream);
aclError aclmdlRITaskSetParams(aclmdlRITask, struct aclmdlRITaskParams *);
aclError aclrtCmoAsyncWithBarrier(void *, size_t, aclrtCmoType, uint32_t, aclrtStream);
aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo *, aclrtStream, uint32_t);
aclError aclrtCmoSetDesc(void *, void *, size_t);
aclError aclrtCmoAsyncWithDesc(void *, aclrtCmoType, aclrtStream, const void *);
aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *, const aclrtStream, void *);
aclError aclrtTaskUpdateAsync(aclrtStream, uint32_t, aclrtTaskUpdateInfo *, aclrtStream);
aclError aclrtMemP2PMap(void *, size_t, int32_t, uint64_t);
aclError aclrtKernelArgsInit(aclrtFuncHandle, aclrtArgsHandle *);
aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle, aclrtArgsHandle, void *, size_t);
aclError aclrtKernelArgsAppend(aclrtArgsHandle, void *, size_t, aclrtParamHandle *);
aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle, aclrtParamHandle *);
aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle, aclrtParamHandle, size_t, void **);
aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle, aclrtParamHandle, void *, size_t);
aclError aclrtKernelArgsFinalize(aclrtArgsHandle);
aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback);
aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback);
aclError aclrtMemManagedPrefetchBatchAsync(const void **, size_t *, size_t, aclrtMemManagedLocation *, size_t *, size_t, uint64_t, aclrtStream);
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
#if ACL_MINOR_VERSION >= 16
static_assert(sizeof(aclrtMemcpyBatchAttr) == 32 && sizeof(aclrtCntNotifyWaitInfo) == 16, "layouts of batches and notifies");
static_assert(ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM == 10 && ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL == 13, "reductions");
#endif
#ifdef HAS_MEM_POOL
static_assert(sizeof(aclrtMemPoolProps) == 56 && ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH == 8, "pools");
#endif
#if ACL_MINOR_VERSION >= 17
static_assert(ACL_MEM_LOCATIONTYPE_HOST == 2 && ACL_MEM_ADVISE_SET_ACCESSED_BY == 4, "managed memory");
static_assert(ACL_HOST_REGISTER_IOMEMORY == 4 && ACL_RT_HAC_TYPE_CCU == 9, "registration");
#endif
