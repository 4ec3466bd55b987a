/* The symbol of each name: its newest form, for the default stream that the program is built for. */
#ifndef CUSIM_NAMES_H
#define CUSIM_NAMES_H

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define CUSIM_PTDS(name) name##_ptds
#define CUSIM_PTSZ(name) name##_ptsz
#else
#define CUSIM_PTDS(name) name
#define CUSIM_PTSZ(name) name
#endif

#define cuGetProcAddress CUSIM_PTSZ(cuGetProcAddress_v2)
#define cuDeviceGetUuid cuDeviceGetUuid_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuCtxCreate cuCtxCreate_v2
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocAsync CUSIM_PTSZ(cuMemAllocAsync)
#define cuMemAllocFromPoolAsync CUSIM_PTSZ(cuMemAllocFromPoolAsync)
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemFree cuMemFree_v2
#define cuMemFreeAsync CUSIM_PTSZ(cuMemFreeAsync)
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemHostRegister cuMemHostRegister_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemcpy CUSIM_PTDS(cuMemcpy)
#define cuMemcpy2D CUSIM_PTDS(cuMemcpy2D_v2)
#define cuMemcpy2DAsync CUSIM_PTSZ(cuMemcpy2DAsync_v2)
#define cuMemcpy2DUnaligned CUSIM_PTDS(cuMemcpy2DUnaligned_v2)
#define cuMemcpy3D CUSIM_PTDS(cuMemcpy3D_v2)
#define cuMemcpy3DAsync CUSIM_PTSZ(cuMemcpy3DAsync_v2)
#define cuMemcpyAsync CUSIM_PTSZ(cuMemcpyAsync)
#define cuMemcpyDtoD CUSIM_PTDS(cuMemcpyDtoD_v2)
#define cuMemcpyDtoDAsync CUSIM_PTSZ(cuMemcpyDtoDAsync_v2)
#define cuMemcpyDtoH CUSIM_PTDS(cuMemcpyDtoH_v2)
#define cuMemcpyDtoHAsync CUSIM_PTSZ(cuMemcpyDtoHAsync_v2)
#define cuMemcpyHtoD CUSIM_PTDS(cuMemcpyHtoD_v2)
#define cuMemcpyHtoDAsync CUSIM_PTSZ(cuMemcpyHtoDAsync_v2)
#define cuMemsetD16 CUSIM_PTDS(cuMemsetD16_v2)
#define cuMemsetD16Async CUSIM_PTSZ(cuMemsetD16Async)
#define cuMemsetD2D16 CUSIM_PTDS(cuMemsetD2D16_v2)
#define cuMemsetD2D16Async CUSIM_PTSZ(cuMemsetD2D16Async)
#define cuMemsetD2D32 CUSIM_PTDS(cuMemsetD2D32_v2)
#define cuMemsetD2D32Async CUSIM_PTSZ(cuMemsetD2D32Async)
#define cuMemsetD2D8 CUSIM_PTDS(cuMemsetD2D8_v2)
#define cuMemsetD2D8Async CUSIM_PTSZ(cuMemsetD2D8Async)
#define cuMemsetD32 CUSIM_PTDS(cuMemsetD32_v2)
#define cuMemsetD32Async CUSIM_PTSZ(cuMemsetD32Async)
#define cuMemsetD8 CUSIM_PTDS(cuMemsetD8_v2)
#define cuMemsetD8Async CUSIM_PTSZ(cuMemsetD8Async)
#define cuStreamDestroy cuStreamDestroy_v2
#define cuStreamGetCtx CUSIM_PTSZ(cuStreamGetCtx)
#define cuStreamGetFlags CUSIM_PTSZ(cuStreamGetFlags)
#define cuStreamGetId CUSIM_PTSZ(cuStreamGetId)
#define cuStreamGetPriority CUSIM_PTSZ(cuStreamGetPriority)
#define cuStreamQuery CUSIM_PTSZ(cuStreamQuery)
#define cuStreamSynchronize CUSIM_PTSZ(cuStreamSynchronize)
#define cuStreamWaitEvent CUSIM_PTSZ(cuStreamWaitEvent)
#define cuEventDestroy cuEventDestroy_v2
#define cuEventElapsedTime cuEventElapsedTime_v2
#define cuEventRecord CUSIM_PTSZ(cuEventRecord)
#define cuEventRecordWithFlags CUSIM_PTSZ(cuEventRecordWithFlags)
#define cuLaunchHostFunc CUSIM_PTSZ(cuLaunchHostFunc)
#define cuLaunchKernel CUSIM_PTSZ(cuLaunchKernel)
#define cuLaunchKernelEx CUSIM_PTSZ(cuLaunchKernelEx)

#endif
