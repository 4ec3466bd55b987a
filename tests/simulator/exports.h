/* The public functions, by family, and nothing else. From this one table come the
 * visibility of each function, the `Impl` names of the split topology, its
 * forwarders, and the names that ACLSIM_FAIL accepts. A new family adds a list
 * here and a line in ACL_EXPORTS. */
#ifndef ACLSIM_EXPORTS_H
#define ACLSIM_EXPORTS_H

#define LIFECYCLE_EXPORTS(X) \
    X(aclInit) \
    X(aclFinalize) \
    X(aclFinalizeReference) \
    X(aclInitCallbackRegister) \
    X(aclInitCallbackUnRegister) \
    X(aclFinalizeCallbackRegister) \
    X(aclFinalizeCallbackUnRegister) \
    X(aclrtGetVersion) \
    X(aclGetRecentErrMsg) \
    X(aclrtPeekAtLastError) \
    X(aclrtGetLastError) \
    X(aclAppLog)

#define DEVICE_EXPORTS(X) \
    X(aclrtSetDevice) \
    X(aclrtResetDevice) \
    X(aclrtResetDeviceForce) \
    X(aclrtGetDevice) \
    X(aclrtGetDeviceCount) \
    X(aclrtSetTsDevice) \
    X(aclrtQueryDeviceStatus) \
    X(aclrtGetDeviceInfo) \
    X(aclrtDeviceCanAccessPeer) \
    X(aclrtDeviceEnablePeerAccess) \
    X(aclrtDeviceDisablePeerAccess) \
    X(aclrtRegDeviceStateCallback) \
    X(aclrtGetRunMode) \
    X(aclrtGetSocName) \
    X(aclrtSynchronizeDevice) \
    X(aclrtSynchronizeDeviceWithTimeout)

#define CONTEXT_EXPORTS(X) \
    X(aclrtCreateContext) \
    X(aclrtDestroyContext) \
    X(aclrtSetCurrentContext) \
    X(aclrtGetCurrentContext) \
    X(aclrtCtxGetCurrentDefaultStream) \
    X(aclrtGetPrimaryCtxState)

#define MEMORY_EXPORTS(X) \
    X(aclrtMalloc) \
    X(aclrtMallocCached) \
    X(aclrtMallocAlign32) \
    X(aclrtMallocWithCfg) \
    X(aclrtMallocForTaskScheduler) \
    X(aclrtFree) \
    X(aclrtFreeWithDevSync) \
    X(aclrtMallocHost) \
    X(aclrtMallocHostWithCfg) \
    X(aclrtFreeHost) \
    X(aclrtFreeHostWithDevSync) \
    X(aclrtGetMemInfo) \
    X(aclrtPointerGetAttributes) \
    X(aclrtMemGetAddressRange)

#define IPC_EXPORTS(X) \
    X(aclrtIpcMemGetExportKey) \
    X(aclrtIpcMemImportByKey) \
    X(aclrtIpcMemClose) \
    X(aclrtIpcMemSetImportPid) \
    X(aclrtIpcMemSetAttr) \
    X(aclrtIpcMemImportPidInterServer) \
    X(aclrtDeviceGetBareTgid)

#define REGISTRATION_EXPORTS(X) \
    X(aclrtHostRegister) \
    X(aclrtHostRegisterV2) \
    X(aclrtHostGetDevicePointer) \
    X(aclrtHostUnregister) \
    X(aclrtHostMemMapCapabilities)

#define MANAGED_EXPORTS(X) \
    X(aclrtMemAllocManaged) \
    X(aclrtMemManagedAdvise) \
    X(aclrtMemManagedGetAttr) \
    X(aclrtMemManagedGetAttrs) \
    X(aclrtMemManagedPrefetchAsync) \
    X(aclrtMemManagedPrefetchBatchAsync)
#define VIRTUAL_MEMORY_EXPORTS(X) \
    X(aclrtReserveMemAddress) \
    X(aclrtReserveMemAddressNoUCMemory) \
    X(aclrtReleaseMemAddress) \
    X(aclrtMallocPhysical) \
    X(aclrtFreePhysical) \
    X(aclrtMemRetainAllocationHandle) \
    X(aclrtMemGetAllocationGranularity) \
    X(aclrtMapMem) \
    X(aclrtUnmapMem) \
    X(aclrtMemSetAccess) \
    X(aclrtMemGetAccess) \
    X(aclrtMemMapSelectedLink) \
    X(aclrtMemExportToShareableHandle) \
    X(aclrtMemExportToShareableHandleV2) \
    X(aclrtMemSetPidToShareableHandle) \
    X(aclrtMemSetPidToShareableHandleV2) \
    X(aclrtMemImportFromShareableHandle) \
    X(aclrtMemImportFromShareableHandleV2)

#define COPY_EXPORTS(X) \
    X(aclrtMemcpy) \
    X(aclrtMemcpyAsync) \
    X(aclrtMemcpyAsyncWithCondition) \
    X(aclrtMemcpy2d) \
    X(aclrtMemcpy2dAsync) \
    X(aclrtMemset) \
    X(aclrtMemsetAsync) \
    X(aclrtMemsetD32) \
    X(aclrtMemsetD32Async)

#define POOL_EXPORTS(X) \
    X(aclrtMemPoolCreate) \
    X(aclrtMemPoolDestroy) \
    X(aclrtMemPoolSetAttr) \
    X(aclrtMemPoolGetAttr) \
    X(aclrtMemPoolMallocAsync) \
    X(aclrtMemPoolFreeAsync) \
    X(aclrtMemPoolTrimTo)

#define BATCH_EXPORTS(X) \
    X(aclrtMemcpyBatch) \
    X(aclrtMemcpyBatchV2) \
    X(aclrtMemcpyBatchAsync) \
    X(aclrtMemcpyBatchAsyncV2)

#define DESCRIBED_EXPORTS(X) \
    X(aclrtGetMemcpyDescSize) \
    X(aclrtSetMemcpyDesc) \
    X(aclrtMemcpyAsyncWithDesc) \
    X(aclrtMemcpyAsyncWithOffset) \
    X(aclrtGetSymbolAddress) \
    X(aclrtGetSymbolSize) \
    X(aclrtMemcpyFromSymbol) \
    X(aclrtMemcpyFromSymbolAsync) \
    X(aclrtMemcpyToSymbol) \
    X(aclrtMemcpyToSymbolAsync)

#define VALUE_EXPORTS(X) \
    X(aclrtReduceAsync) \
    X(aclrtValueWrite) \
    X(aclrtValueWait) \
    X(aclrtCmoAsync) \
    X(aclrtMemFlush) \
    X(aclrtMemInvalidate)

#define MBUF_EXPORTS(X) \
    X(aclrtAllocBuf) \
    X(aclrtFreeBuf) \
    X(aclrtGetBufData) \
    X(aclrtSetBufDataLen) \
    X(aclrtGetBufDataLen) \
    X(aclrtSetBufUserData) \
    X(aclrtGetBufUserData) \
    X(aclrtCopyBufRef) \
    X(aclrtAppendBufChain) \
    X(aclrtGetBufChainNum) \
    X(aclrtGetBufFromChain)

#define NOTIFY_EXPORTS(X) \
    X(aclrtCreateNotify) \
    X(aclrtNotifyImportByKey) \
    X(aclrtDestroyNotify) \
    X(aclrtRecordNotify) \
    X(aclrtWaitAndResetNotify) \
    X(aclrtGetNotifyId) \
    X(aclrtNotifyBatchReset) \
    X(aclrtCntNotifyCreate) \
    X(aclrtCntNotifyDestroy) \
    X(aclrtCntNotifyRecord) \
    X(aclrtCntNotifyWaitWithTimeout) \
    X(aclrtCntNotifyReset) \
    X(aclrtCntNotifyGetId)

#define ALLOCATOR_EXPORTS(X) \
    X(aclrtAllocatorCreateDesc) \
    X(aclrtAllocatorDestroyDesc) \
    X(aclrtAllocatorSetObjToDesc) \
    X(aclrtAllocatorSetAllocFuncToDesc) \
    X(aclrtAllocatorSetFreeFuncToDesc) \
    X(aclrtAllocatorSetAllocAdviseFuncToDesc) \
    X(aclrtAllocatorSetGetAddrFromBlockFuncToDesc) \
    X(aclrtAllocatorRegister) \
    X(aclrtAllocatorGetByStream) \
    X(aclrtAllocatorUnregister)

#define STREAM_EXPORTS(X) \
    X(aclrtCreateStream) \
    X(aclrtCreateStreamWithConfig) \
    X(aclrtCreateStreamConfigHandle) \
    X(aclrtDestroyStreamConfigHandle) \
    X(aclrtSetStreamConfigOpt) \
    X(aclrtCreateStreamV2) \
    X(aclrtDestroyStream) \
    X(aclrtDestroyStreamForce) \
    X(aclrtStreamAbort) \
    X(aclrtDeviceTaskAbort) \
    X(aclrtSynchronizeStream) \
    X(aclrtSynchronizeStreamWithTimeout) \
    X(aclrtStreamQuery) \
    X(aclrtStreamGetId) \
    X(aclrtStreamGetPriority) \
    X(aclrtStreamGetFlags) \
    X(aclrtSetStreamFailureMode) \
    X(aclrtDeviceGetStreamPriorityRange) \
    X(aclrtRegStreamStateCallback)

#define EVENT_EXPORTS(X) \
    X(aclrtCreateEvent) \
    X(aclrtCreateEventWithFlag) \
    X(aclrtCreateEventExWithFlag) \
    X(aclrtDestroyEvent) \
    X(aclrtRecordEvent) \
    X(aclrtIpcGetEventHandle) \
    X(aclrtIpcOpenEventHandle) \
    X(aclrtResetEvent) \
    X(aclrtQueryEvent) \
    X(aclrtQueryEventStatus) \
    X(aclrtQueryEventWaitStatus) \
    X(aclrtSynchronizeEvent) \
    X(aclrtSynchronizeEventWithTimeout) \
    X(aclrtEventElapsedTime) \
    X(aclrtEventGetTimestamp) \
    X(aclrtStreamWaitEvent) \
    X(aclrtStreamWaitEventWithTimeout) \
    X(aclrtSetOpWaitTimeout) \
    X(aclrtSetOpExecuteTimeOut)

#define CALLBACK_EXPORTS(X) \
    X(aclrtSubscribeReport) \
    X(aclrtUnSubscribeReport) \
    X(aclrtProcessReport) \
    X(aclrtLaunchCallback) \
    X(aclrtLaunchHostFunc) \
    X(aclrtSetExceptionInfoCallback) \
    X(aclrtGetTaskIdFromExceptionInfo) \
    X(aclrtGetStreamIdFromExceptionInfo) \
    X(aclrtGetThreadIdFromExceptionInfo) \
    X(aclrtGetDeviceIdFromExceptionInfo) \
    X(aclrtGetErrorCodeFromExceptionInfo)

#define CAPTURE_EXPORTS(X) \
    X(aclmdlRICaptureBegin) \
    X(aclmdlRICaptureToModelRIBegin) \
    X(aclmdlRICaptureGetInfo) \
    X(aclmdlRICaptureEnd) \
    X(aclmdlRICaptureTaskUpdateBegin) \
    X(aclmdlRICaptureTaskUpdateEnd) \
    X(aclmdlRICaptureThreadExchangeMode) \
    X(aclmdlRIExecute) \
    X(aclmdlRIExecuteAsync) \
    X(aclmdlRIDestroy) \
    X(aclmdlRIBuildBegin) \
    X(aclmdlRIBindStream) \
    X(aclmdlRIEndTask) \
    X(aclmdlRIBuildEnd) \
    X(aclmdlRIUnbindStream) \
    X(aclmdlRITaskSetParams) \
    X(aclmdlRIUpdate)

#define BRANCH_EXPORTS(X) \
    X(aclrtCreateLabel) \
    X(aclrtDestroyLabel) \
    X(aclrtSetLabel) \
    X(aclrtCreateLabelList) \
    X(aclrtDestroyLabelList) \
    X(aclrtSwitchLabelByIndex) \
    X(aclrtSwitchStream)

#define KERNEL_EXPORTS(X) \
    X(aclrtLaunchKernel) \
    X(aclrtLaunchKernelV2) \
    X(aclrtLaunchKernelWithConfig) \
    X(aclrtLaunchKernelWithHostArgs) \
    X(aclrtLaunchKernelWithArgsArray)

#define DATA_EXPORTS(X) \
    X(aclCreateDataBuffer) \
    X(aclDestroyDataBuffer) \
    X(aclUpdateDataBuffer) \
    X(aclGetDataBufferAddr) \
    X(aclGetDataBufferSize) \
    X(aclGetDataBufferSizeV2) \
    X(aclDataTypeSize) \
    X(aclFloat16ToFloat) \
    X(aclFloatToFloat16)

#include "more_exports.h"

/* libascendcl.so; in the split topology also libacl_rt.so and, as `…Impl`, libacl_rt_impl.so. */
#define ACL_EXPORTS(X) \
    MODELLED_EXPORTS(X) \
    UNMODELLED_EXPORTS(X) \
    LATER_UNMODELLED_EXPORTS(X)

#define MODELLED_EXPORTS(X) \
    LIFECYCLE_EXPORTS(X) \
    DEVICE_EXPORTS(X) \
    CONTEXT_EXPORTS(X) \
    MEMORY_EXPORTS(X) \
    IPC_EXPORTS(X) \
    REGISTRATION_EXPORTS(X) \
    MANAGED_EXPORTS(X) \
    VIRTUAL_MEMORY_EXPORTS(X) \
    COPY_EXPORTS(X) \
    POOL_EXPORTS(X) \
    BATCH_EXPORTS(X) \
    DESCRIBED_EXPORTS(X) \
    VALUE_EXPORTS(X) \
    MBUF_EXPORTS(X) \
    NOTIFY_EXPORTS(X) \
    ALLOCATOR_EXPORTS(X) \
    STREAM_EXPORTS(X) \
    EVENT_EXPORTS(X) \
    CALLBACK_EXPORTS(X) \
    CAPTURE_EXPORTS(X) \
    BRANCH_EXPORTS(X) \
    KERNEL_EXPORTS(X) \
    VERSION_EXPORTS(X) \
    IDENTITY_EXPORTS(X) \
    LIMITS_EXPORTS(X) \
    FAULTS_EXPORTS(X) \
    BINARY_EXPORTS(X) \
    GRAPH_EXPORTS(X) \
    USAGE_EXPORTS(X) \
    LATER_EXPORTS(X) \
    DATA_EXPORTS(X)

/* Libraries of their own in every topology. */
#define DVPP_EXPORTS(X) \
    X(acldvppMalloc) \
    X(acldvppMallocWithCfg) \
    X(acldvppFree)

#define DVPP_MPI_EXPORTS(X) \
    X(hi_mpi_sys_init) \
    X(hi_mpi_sys_exit) \
    X(hi_mpi_dvpp_malloc) \
    X(hi_mpi_dvpp_free)

#endif
