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

#define COPY_EXPORTS(X) \
    X(aclrtMemcpy) \
    X(aclrtMemcpyAsync) \
    X(aclrtMemcpyAsyncWithCondition) \
    X(aclrtMemcpy2d) \
    X(aclrtMemcpy2dAsync) \
    X(aclrtMemset) \
    X(aclrtMemsetAsync)

#define STREAM_EXPORTS(X) \
    X(aclrtCreateStream) \
    X(aclrtCreateStreamWithConfig) \
    X(aclrtDestroyStream) \
    X(aclrtDestroyStreamForce) \
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
    X(aclmdlRICaptureGetInfo) \
    X(aclmdlRICaptureEnd) \
    X(aclmdlRIExecuteAsync) \
    X(aclmdlRIDestroy)

#define KERNEL_EXPORTS(X) \
    X(aclrtLaunchKernel) \
    X(aclrtLaunchKernelV2) \
    X(aclrtLaunchKernelWithConfig) \
    X(aclrtLaunchKernelWithHostArgs)

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

/* libascendcl.so; in the split topology also libacl_rt.so and, as `…Impl`, libacl_rt_impl.so. */
#define ACL_EXPORTS(X) \
    LIFECYCLE_EXPORTS(X) \
    DEVICE_EXPORTS(X) \
    CONTEXT_EXPORTS(X) \
    MEMORY_EXPORTS(X) \
    COPY_EXPORTS(X) \
    STREAM_EXPORTS(X) \
    EVENT_EXPORTS(X) \
    CALLBACK_EXPORTS(X) \
    CAPTURE_EXPORTS(X) \
    KERNEL_EXPORTS(X) \
    DATA_EXPORTS(X)

/* Libraries of their own in both topologies. */
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
