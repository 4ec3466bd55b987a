/* More lists of public names, for exports.h: versions, ids, limits, faults, binaries, graphs, and what is exported but not modelled. */
#ifndef ACLSIM_MORE_EXPORTS_H
#define ACLSIM_MORE_EXPORTS_H

#include "cann.h"

#define VERSION_EXPORTS(X) \
    X(aclAppLogWithArgs) \
    X(aclsysGetCANNVersion) \
    X(aclsysGetVersionStr) \
    X(aclsysGetVersionNum) \
    X(aclGetCannAttributeList) \
    X(aclGetCannAttribute) \
    X(aclGetDeviceCapability)

#define IDENTITY_EXPORTS(X) \
    X(aclrtGetLogicDevIdByUserDevId) \
    X(aclrtGetUserDevIdByLogicDevId) \
    X(aclrtGetLogicDevIdByPhyDevId) \
    X(aclrtGetPhyDevIdByLogicDevId) \
    X(aclrtGetUserDevIdByPhyDevId) \
    X(aclrtGetPhyDevIdByUserDevId) \
    X(aclrtDeviceGetUuid) \
    X(aclrtGetDevicesTopo) \
    X(aclrtDevicePeerAccessStatus) \
    X(aclrtGetDeviceCapability) \
    X(aclrtGetDeviceUtilizationRate) \
    X(aclrtDeviceGetHostAtomicCapabilities) \
    X(aclrtDeviceGetP2PAtomicCapabilities) \
    X(aclrtCheckArchCompatibility) \
    X(aclrtSetDeviceWithoutTsdVXX) \
    X(aclrtResetDeviceWithoutTsdVXX)

#define LIMITS_EXPORTS(X) \
    X(aclrtGetDeviceResLimit) \
    X(aclrtSetDeviceResLimit) \
    X(aclrtResetDeviceResLimit) \
    X(aclrtGetStreamResLimit) \
    X(aclrtSetStreamResLimit) \
    X(aclrtResetStreamResLimit) \
    X(aclrtUseStreamResInCurrentThread) \
    X(aclrtUnuseStreamResInCurrentThread) \
    X(aclrtGetResInCurrentThread) \
    X(aclrtCtxSetSysParamOpt) \
    X(aclrtCtxGetSysParamOpt) \
    X(aclrtSetSysParamOpt) \
    X(aclrtGetSysParamOpt) \
    X(aclrtSetOpExecuteTimeOutWithMs) \
    X(aclrtSetOpExecuteTimeOutV2) \
    X(aclrtGetOpExecuteTimeout) \
    X(aclrtGetOpTimeOutInterval) \
    X(aclrtGetStreamAvailableNum) \
    X(aclrtSetStreamAttribute) \
    X(aclrtGetStreamAttribute) \
    X(aclrtSetStreamOverflowSwitch) \
    X(aclrtGetStreamOverflowSwitch) \
    X(aclrtPersistentTaskClean) \
    X(aclrtActiveStream) \
    X(aclrtGetEventId) \
    X(aclrtGetEventAvailNum) \
    X(aclrtSetGroup) \
    X(aclrtGetGroupCount) \
    X(aclrtCreateGroupInfo) \
    X(aclrtDestroyGroupInfo) \
    X(aclrtGetAllGroupInfo) \
    X(aclrtGetGroupInfoDetail) \
    X(aclrtSetDeviceSatMode) \
    X(aclrtGetDeviceSatMode) \
    X(aclrtGetOverflowStatus) \
    X(aclrtResetOverflowStatus) \
    X(aclrtGetFloatOverflowStatus) \
    X(aclrtResetFloatOverflowStatus) \
    X(aclrtNpuGetFloatOverFlowStatus) \
    X(aclrtNpuClearFloatOverFlowStatus)

#define FAULTS_EXPORTS(X) \
    X(aclrtGetErrorVerbose) \
    X(aclrtGetMemUceInfo) \
    X(aclrtGetArgsFromExceptionInfo) \
    X(aclrtGetFuncHandleFromExceptionInfo) \
    X(aclrtGetThreadLastTaskId) \
    X(aclrtCacheLastTaskOpInfo) \
    X(aclrtCacheLastTaskExtendInfo) \
    X(aclmdlInitDump) \
    X(aclmdlSetDump) \
    X(aclmdlFinalizeDump)

#define BINARY_EXPORTS(X) \
    X(aclrtCreateBinary) \
    X(aclrtDestroyBinary) \
    X(aclrtBinaryLoad) \
    X(aclrtBinaryLoadFromFile) \
    X(aclrtBinaryLoadFromData) \
    X(aclrtBinaryUnLoad) \
    X(aclrtBinaryGetDevAddress) \
    X(aclrtBinaryGetFunction) \
    X(aclrtBinaryGetFunctionByEntry) \
    X(aclrtGetFuncBySymbol) \
    X(aclrtGetFunctionName) \
    X(aclrtGetFunctionAddr) \
    X(aclrtFunctionGetBinary) \
    X(aclrtKernelArgsInit) \
    X(aclrtKernelArgsInitByUserMem) \
    X(aclrtKernelArgsGetMemSize) \
    X(aclrtKernelArgsGetHandleMemSize) \
    X(aclrtKernelArgsAppend) \
    X(aclrtKernelArgsAppendPlaceHolder) \
    X(aclrtKernelArgsGetPlaceHolderBuffer) \
    X(aclrtKernelArgsParaUpdate) \
    X(aclrtKernelArgsFinalize)

#define GRAPH_EXPORTS(X) \
    X(aclmdlRIAbort) \
    X(aclmdlRISetName) \
    X(aclmdlRIGetName) \
    X(aclmdlRIGetId) \
    X(aclmdlRIDebugPrint) \
    X(aclmdlRIDebugJsonPrint) \
    X(aclmdlRIDestroyRegisterCallback) \
    X(aclmdlRIDestroyUnregisterCallback) \
    X(aclmdlRIGetStreams) \
    X(aclmdlRIGetTasksByStream) \
    X(aclmdlRITaskGetType) \
    X(aclmdlRITaskGetSeqId) \
    X(aclmdlRITaskGetParams) \
    X(aclmdlRITaskDisable) \
    X(aclmdlRICaptureTaskGrpBegin) \
    X(aclmdlRICaptureTaskGrpEnd) \
    X(aclmdlRICondHandleCreate) \
    X(aclmdlRICondHandleGetCondPtr) \
    X(aclmdlRIAddCondTask)

#define USAGE_EXPORTS(X) \
    X(aclrtGetMemUsageInfo) \
    X(aclrtCheckMemType) \
    X(aclrtMemGetAllocationPropertiesFromHandle) \
    X(aclrtRandomNumAsync) \
    X(aclrtNotifyGetExportKey) \
    X(aclrtNotifySetImportPid)

/* Exported, and no more: what they do has no meaning here (unmodelled.c). */
#define UNMODELLED_EXPORTS(X) \
    X(aclmdlRIKernelTaskGetAttribute) \
    X(aclrtBinaryGetGlobal) \
    X(aclrtBinarySetExceptionCallback) \
    X(aclrtCmoAsyncWithBarrier) \
    X(aclrtCmoAsyncWithDesc) \
    X(aclrtCmoGetDescSize) \
    X(aclrtCmoSetDesc) \
    X(aclrtCmoWaitBarrier) \
    X(aclrtCtxGetFloatOverflowAddr) \
    X(aclrtFunctionGetAvailDynUbufPerBlock) \
    X(aclrtFunctionGetParamCount) \
    X(aclrtFunctionGetParamInfo) \
    X(aclrtGetFunctionAttribute) \
    X(aclrtGetFunctionSize) \
    X(aclrtGetHardwareSyncAddr) \
    X(aclrtMemP2PMap) \
    X(aclrtMemUceRepair) \
    X(aclrtNotifySetImportPidInterServer) \
    X(aclrtProfTrace) \
    X(aclrtRegisterCpuFunc) \
    X(aclrtRepairError) \
    X(aclrtSetDeviceTaskAbortCallback) \
    X(aclrtSnapShotCallbackRegister) \
    X(aclrtSnapShotCallbackUnregister) \
    X(aclrtSnapShotProcessBackup) \
    X(aclrtSnapShotProcessLock) \
    X(aclrtSnapShotProcessRestore) \
    X(aclrtSnapShotProcessUnlock) \
    X(aclrtStreamStop) \
    X(aclrtTaskUpdateAsync)

/* What 9.1.0 lacks: the split topology has none of them. */
#if defined(ACLSIM_SPLIT) && ACLSIM_CANN <= 90100
#define LATER_EXPORTS(X)
#define LATER_UNMODELLED_EXPORTS(X)
#else
#define LATER_EXPORTS(X) \
    X(aclrtDeviceGetByPCIBusId) \
    X(aclrtDeviceGetLimit) \
    X(aclrtDeviceGetPCIBusId) \
    X(aclrtDeviceSetLimit) \
    X(aclrtExceptionInfoCallbackRegister) \
    X(aclrtExceptionInfoCallbackUnregister) \
    X(aclrtMemMapNoAccess) \
    X(aclrtRecordEventWithFlag) \
    X(aclrtStreamWaitEventWithFlag)
#define LATER_UNMODELLED_EXPORTS(X) \
    X(aclrtDeviceL2CacheFlush) \
    X(aclrtLaunchSIMTKernelWithArgsArray) \
    X(aclrtLaunchSIMTKernelWithHostArgs) \
    X(aclrtMemMapSetLink)
#endif

#endif
