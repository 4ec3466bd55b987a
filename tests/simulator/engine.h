/* Functions that the public ones call. In the split topology this is the interface of
 * libruntime.so and is reached through its PLT, so names that the real library has
 * (rtMalloc, ...) keep its spelling and parameters; our own start with aclsim. In the single
 * topology only ACLSIM_ENTRY is exported, for the libraries beside libascendcl.so.
 *
 * Every function answers the code that the public call passes on. */
#ifndef ACLSIM_ENGINE_H
#define ACLSIM_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"
#include "runtime/mem.h"

#define ACLSIM_ENTRY __attribute__((visibility("default")))
#ifdef ACLSIM_SPLIT
#define ACLSIM_ENGINE __attribute__((visibility("default")))
#else
#define ACLSIM_ENGINE
#endif

/* Chip profile (soc.c). */
struct aclsim_soc {
    const char *alias;       /* accepted in ACLSIM_SOC instead of `name` */
    const char *name;        /* the result of aclrtGetSocName */
    aclrtRunMode run_mode;
    uint32_t padding;        /* bytes that aclrtMalloc adds after rounding */
    uint32_t devices;
    uint64_t memory_bytes;
    bool has_hbm;
    bool has_giant_pages;
    bool has_media_heap;     /* false: media memory is ordinary device memory */
    bool has_pools;          /* stream-ordered pools */
    bool has_values;         /* value writes and waits */
    bool has_managed;        /* pages that move between host and device */
    bool has_registration;   /* devices reach host memory */
    uint32_t cube_cores;
    uint32_t vector_cores;
};
ACLSIM_ENGINE const struct aclsim_soc *aclsimSoc(void);
ACLSIM_ENGINE uint32_t aclsimDeviceCount(void);

/* Failures: injected ones (fault.c) and the record of real ones (message.c). */
ACLSIM_ENTRY aclError aclsimInjected(const char *function);
ACLSIM_ENTRY aclError aclsimFailed(const char *function, aclError code);
/* The same, of a condition that the call did not meet. */
ACLSIM_ENTRY aclError aclsimRefused(const char *function, const char *condition, aclError code);
/* With a text of its own. */
ACLSIM_ENTRY aclError aclsimRefusedFor(const char *function, const char *text, aclError code);
ACLSIM_ENGINE const char *aclsimMessage(void);
ACLSIM_ENGINE aclError aclsimLastError(bool clear);

/* Traps of kernels (trap.c), of the calling stream: the first one, which the second function takes back. */
ACLSIM_ENTRY void aclsimTrap(aclError code);
ACLSIM_ENTRY aclError aclsimTrapped(void);
/* From a task: which kernel failed, and why. The text goes with the error that a wait for the stream returns. */
ACLSIM_ENTRY void aclsimTrapSays(const char *kernel, const char *text);
/* An error text of the device, for the calling thread. */
ACLSIM_ENGINE void aclsimDeviceSays(const char *text);

/* Callbacks for failed tasks (notice.c), by module name: a second one replaces the first, NULL removes it. */
struct rtExceptionInfo {
    uint32_t taskid, streamid, tid, deviceid, retcode;
};
ACLSIM_ENGINE aclError rtRegTaskFailCallbackByModule(const char *module, aclrtExceptionInfoCallback callback);

/* Devices and contexts (device.c, context.c). */
ACLSIM_ENGINE aclError rtSetDevice(int32_t device);
ACLSIM_ENGINE aclError rtDeviceReset(int32_t device);
ACLSIM_ENGINE aclError rtDeviceResetForce(int32_t device);
ACLSIM_ENTRY aclError rtGetDevice(int32_t *device);
ACLSIM_ENGINE aclError rtCtxCreateEx(aclrtContext *context, uint32_t flags, int32_t device);
ACLSIM_ENGINE aclError rtCtxDestroyEx(aclrtContext context);
ACLSIM_ENGINE aclError rtCtxSetCurrent(aclrtContext context);
ACLSIM_ENGINE aclError rtCtxGetCurrent(aclrtContext *context);
ACLSIM_ENGINE aclError rtCtxGetCurrentDefaultStream(aclrtStream *stream);
ACLSIM_ENGINE aclError rtGetPrimaryCtxState(int32_t device, uint32_t *flags, int32_t *active);
ACLSIM_ENGINE aclError rtDeviceSynchronizeWithTimeout(int32_t timeout);
ACLSIM_ENGINE aclError aclsimWatchDevices(const char *name, aclrtDeviceStateCallback callback, void *args);
ACLSIM_ENGINE aclError aclsimWatchStreams(const char *name, aclrtStreamStateCallback callback, void *args);

/* Memory (memory.c). `policy` is the public one; sizes are already rounded. */
ACLSIM_ENGINE aclError rtMalloc(void **pointer, uint64_t size, uint32_t policy, uint16_t module);
ACLSIM_ENGINE aclError rtMallocCached(void **pointer, uint64_t size, uint32_t policy, uint16_t module);
ACLSIM_ENGINE aclError rtFree(void *pointer);
ACLSIM_ENGINE aclError rtFreeWithDevSync(void *pointer);
ACLSIM_ENGINE aclError rtMallocHost(void **pointer, uint64_t size, uint16_t module);
ACLSIM_ENGINE aclError rtFreeHost(void *pointer);
ACLSIM_ENGINE aclError rtFreeHostWithDevSync(void *pointer);
ACLSIM_ENTRY aclError rtDvppMalloc(void **pointer, uint64_t size, uint16_t module);
ACLSIM_ENTRY aclError rtDvppFree(void *pointer);
ACLSIM_ENGINE aclError aclsimMemoryInfo(uint64_t *free_bytes, uint64_t *total_bytes);
ACLSIM_ENGINE aclError rtsPointerGetAttributes(const void *pointer, aclrtPtrAttributes *attributes);
ACLSIM_ENGINE aclError rtMemGetAddressRange(void *pointer, void **base, size_t *size);

/* Stream-ordered pools (pool.c). */
ACLSIM_ENGINE aclError rtMemPoolCreate(aclrtMemPool *pool, int32_t device, uint64_t most);
ACLSIM_ENGINE aclError rtMemPoolDestroy(aclrtMemPool pool);
ACLSIM_ENGINE aclError rtMemPoolSetAttr(aclrtMemPool pool, aclrtMemPoolAttr attribute, const void *value);
ACLSIM_ENGINE aclError rtMemPoolGetAttr(aclrtMemPool pool, aclrtMemPoolAttr attribute, void *value);
ACLSIM_ENGINE aclError rtMemPoolMallocAsync(void **pointer, uint64_t size, aclrtMemPool pool, aclrtStream stream);
ACLSIM_ENGINE aclError rtMemPoolFreeAsync(void *pointer, aclrtStream stream);
ACLSIM_ENGINE aclError rtMemPoolTrimTo(aclrtMemPool pool, uint64_t keep);
/* Blocks of other processes (ipc.c). */
ACLSIM_ENGINE aclError rtsIpcMemGetExportKey(const void *pointer, uint64_t size, char *name, uint32_t length,
                                             uint64_t flags);
ACLSIM_ENGINE aclError rtsIpcMemImportByKey(void **pointer, const char *name, uint64_t flags);
ACLSIM_ENGINE aclError rtsIpcMemClose(const char *name);
ACLSIM_ENGINE aclError rtsIpcMemSetImportPid(const char *name, const int32_t *pids, int32_t count);

/* Registered host memory (registration.c). */
ACLSIM_ENGINE aclError rtsHostRegister(void *host, uint64_t size, uint32_t type, void **seen_at);
ACLSIM_ENGINE aclError rtHostRegisterV2(void *host, uint64_t size, uint32_t flags);
ACLSIM_ENGINE aclError rtHostGetDevicePointer(void *host, void **seen_at, uint32_t flags);
ACLSIM_ENGINE aclError rtsHostUnregister(void *host);
ACLSIM_ENGINE aclError rtHostMemMapCapabilities(uint32_t device, uint32_t controller, uint32_t *capability);

/* Managed memory (managed.c). */
ACLSIM_ENGINE aclError rtMemAllocManaged(void **pointer, uint64_t size, uint32_t flag, uint16_t module);
ACLSIM_ENGINE aclError rtMemManagedAdvise(const void *pointer, uint64_t size, uint32_t advice,
                                          aclrtMemManagedLocation location);
ACLSIM_ENGINE aclError rtMemManagedGetAttr(uint32_t attribute, const void *pointer, uint64_t size, void *data,
                                           uint64_t room);
ACLSIM_ENGINE aclError rtMemManagedPrefetchAsync(const void *pointer, uint64_t size, aclrtMemManagedLocation location,
                                                 uint32_t flags, aclrtStream stream);
/* Virtual memory (physical.c, reservation.c, mapping.c, share.c). */
ACLSIM_ENGINE aclError rtReserveMemAddress(void **address, uint64_t size, uint64_t alignment, void *wish, bool uncached);
ACLSIM_ENGINE aclError rtReleaseMemAddress(void *address);
ACLSIM_ENGINE aclError rtMallocPhysical(aclrtDrvMemHandle *handle, uint64_t size, const aclrtPhysicalMemProp *prop);
ACLSIM_ENGINE aclError rtFreePhysical(aclrtDrvMemHandle handle);
ACLSIM_ENGINE aclError rtMemRetainAllocationHandle(void *address, aclrtDrvMemHandle *handle);
ACLSIM_ENGINE aclError rtMemGetAllocationGranularity(const aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option,
                                                     size_t *granularity);
ACLSIM_ENGINE aclError rtMapMem(void *address, uint64_t size, uint64_t offset, aclrtDrvMemHandle handle, bool accessible);
ACLSIM_ENGINE aclError rtUnmapMem(void *address);
ACLSIM_ENGINE aclError rtMemSetAccess(void *address, uint64_t size, const aclrtMemAccessDesc *desc, size_t count);
ACLSIM_ENGINE aclError rtMemGetAccess(void *address, const aclrtMemLocation *location, uint64_t *flags);
ACLSIM_ENGINE aclError rtMemMapSelectedLink(void *to, uint64_t size, void *from);
ACLSIM_ENGINE aclError rtMemExportToShareableHandle(aclrtDrvMemHandle handle, uint64_t flags, uint64_t *shareable);
ACLSIM_ENGINE aclError rtMemSetPidToShareableHandle(uint64_t shareable, const int32_t *pids, uint32_t count);
ACLSIM_ENGINE aclError rtMemImportFromShareableHandle(uint64_t shareable, int32_t device, aclrtDrvMemHandle *handle);

/* Copies and sets (transfer.c). */
ACLSIM_ENGINE aclError rtMemcpy(void *dst, uint64_t dest_max, const void *src, uint64_t count, aclrtMemcpyKind kind);
ACLSIM_ENGINE aclError rtMemcpyAsync(void *dst, uint64_t dest_max, const void *src, uint64_t count,
                                     aclrtMemcpyKind kind, aclrtStream stream);
ACLSIM_ENGINE aclError rtMemcpy2d(void *dst, uint64_t dpitch, const void *src, uint64_t spitch, uint64_t width,
                                  uint64_t height, aclrtMemcpyKind kind);
ACLSIM_ENGINE aclError rtMemcpy2dAsync(void *dst, uint64_t dpitch, const void *src, uint64_t spitch, uint64_t width,
                                       uint64_t height, aclrtMemcpyKind kind, aclrtStream stream);
ACLSIM_ENGINE aclError rtMemset(void *dst, uint64_t dest_max, uint32_t value, uint64_t count);
ACLSIM_ENGINE aclError rtMemsetAsync(void *dst, uint64_t dest_max, uint32_t value, uint64_t count,
                                     aclrtStream stream);
ACLSIM_ENGINE aclError rtMemsetD32(void *dst, uint64_t dest_max, uint32_t value, uint64_t count);
ACLSIM_ENGINE aclError rtMemsetD32Async(void *dst, uint64_t dest_max, uint32_t value, uint64_t count,
                                        aclrtStream stream);

/* Many copies in a call (batch.c). `fail` may be NULL. */
struct aclsim_batch {
    void *const *dsts;
    const size_t *rooms;
    void *const *srcs;
    const size_t *sizes;
    size_t count;
    const aclrtMemcpyBatchAttr *attrs;
    const size_t *attrs_from;
    size_t attr_count;
    size_t *fail;
};
ACLSIM_ENGINE aclError rtsMemcpyBatch(const struct aclsim_batch *batch);
ACLSIM_ENGINE aclError rtsMemcpyBatchAsync(const struct aclsim_batch *batch, aclrtStream stream);

/* Copies whose ends lie on the device (described.c), and variables of device code (symbol.c). */
ACLSIM_ENGINE aclError rtsGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *size);
ACLSIM_ENGINE aclError rtsSetMemcpyDesc(void *desc, aclrtMemcpyKind kind, void *src, void *dst, size_t count);
ACLSIM_ENGINE aclError rtsMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind, aclrtStream stream);
ACLSIM_ENGINE aclError rtMemcpyAsyncWithOffset(void **dst, uint64_t dest_max, uint64_t dst_offset, const void **src,
                                               uint64_t count, uint64_t src_offset, aclrtMemcpyKind kind,
                                               aclrtStream stream);
ACLSIM_ENTRY aclError rtSymbolRegister(const void *symbol, void *address, size_t size);
ACLSIM_ENGINE aclError rtSymbolLookup(const void *symbol, void **address, size_t *size);

/* Device memory in place (value.c). */
ACLSIM_ENGINE aclError rtsLaunchReduceAsyncTask(void *dst, const void *src, uint64_t count, aclrtReduceKind kind,
                                                aclDataType type, aclrtStream stream);
ACLSIM_ENGINE aclError rtsValueWrite(void *address, uint64_t value, uint32_t flag, aclrtStream stream);
ACLSIM_ENGINE aclError rtsValueWait(void *address, uint64_t value, uint32_t flag, aclrtStream stream);
ACLSIM_ENGINE aclError rtCmoAsync(void *src, uint64_t size, aclrtStream stream);
ACLSIM_ENGINE aclError rtFlushCache(void *address, uint64_t size);

/* Shared buffers (mbuf.c). */
ACLSIM_ENGINE aclError rtMbufAlloc(aclrtMbuf *buffer, uint64_t size);
ACLSIM_ENGINE aclError rtMbufFree(aclrtMbuf buffer);
ACLSIM_ENGINE aclError rtMbufGetBuffAddr(aclrtMbuf buffer, void **address, uint64_t *size);
ACLSIM_ENGINE aclError rtMbufSetDataLen(aclrtMbuf buffer, uint64_t length);
ACLSIM_ENGINE aclError rtMbufGetDataLen(aclrtMbuf buffer, uint64_t *length);
ACLSIM_ENGINE aclError rtMbufGetPrivInfo(aclrtMbuf buffer, void **address, uint64_t *size);
ACLSIM_ENGINE aclError rtMbufCopyBufRef(aclrtMbuf buffer, aclrtMbuf *copy);
ACLSIM_ENGINE aclError rtMbufChainAppend(aclrtMbuf head, aclrtMbuf buffer);
ACLSIM_ENGINE aclError rtMbufChainGetMbufNum(aclrtMbuf head, uint32_t *count);
ACLSIM_ENGINE aclError rtMbufChainGetMbuf(aclrtMbuf head, uint32_t index, aclrtMbuf *buffer);

/* Notifies (notify.c). */
ACLSIM_ENGINE aclError aclsimNotifyCreate(aclrtNotify *notify, bool counting);
ACLSIM_ENGINE aclError aclsimNotifyDestroy(aclrtNotify notify, bool counting);
ACLSIM_ENGINE aclError aclsimNotifyId(aclrtNotify notify, bool counting, uint32_t *id);
ACLSIM_ENGINE aclError aclsimNotifyReset(aclrtNotify notify);
/* In stream order: the count changes by `info`; -1 milliseconds wait without limit. */
ACLSIM_ENGINE aclError aclsimNotifyRecord(aclrtNotify notify, bool counting, aclrtCntNotifyRecordInfo info,
                                          aclrtStream stream);
ACLSIM_ENGINE aclError aclsimNotifyWait(aclrtNotify notify, bool counting, aclrtCntNotifyWaitInfo info,
                                        aclrtStream stream);

/* Streams (stream.c). Timeouts in milliseconds, -1 without end. */
ACLSIM_ENGINE aclError rtStreamCreateWithFlags(aclrtStream *stream, int32_t priority, uint32_t flags);
ACLSIM_ENGINE aclError rtStreamDestroy(aclrtStream stream);
ACLSIM_ENGINE aclError rtStreamDestroyForce(aclrtStream stream);
ACLSIM_ENGINE aclError aclsimStreamAbort(aclrtStream stream);
ACLSIM_ENGINE aclError rtStreamSynchronizeWithTimeout(aclrtStream stream, int32_t timeout);
ACLSIM_ENGINE aclError aclsimStreamQuery(aclrtStream stream, bool *complete);
ACLSIM_ENGINE aclError aclsimStreamDescribe(aclrtStream stream, int32_t *id, uint32_t *priority, uint32_t *flags);

/* Queues `run(argument)` on a stream of the current context (NULL: its default
 * stream). The result of `run` surfaces at the next synchronize. `drop`, if any,
 * ends the argument's life, whether `run` ran or not. */
ACLSIM_ENTRY aclError aclsimEnqueue(aclrtStream stream, aclError (*run)(void *argument), void (*drop)(void *argument),
                                    void *argument);

/* Where the simulator itself may touch `size` bytes behind a device, pinned or
 * pageable address; `*reach` is how many of them are mapped. */
ACLSIM_ENTRY void *aclsimView(const void *address, uint64_t size, uint64_t *reach);
/* The block that holds an address; false when there is none. */
ACLSIM_ENTRY bool aclsimBlock(const void *address, void **base, uint64_t *size);
/* Whether a pool has taken the address back by a release that its stream has not come to yet. */
ACLSIM_ENTRY bool aclsimAwaitsRelease(const void *address);
/* Whether devices see registered host memory there, which the program has not unmapped. */
ACLSIM_ENTRY bool aclsimSeesHost(const void *address, uint64_t size);
/* Blocks not released; device -1 is pinned host memory. */
ACLSIM_ENTRY size_t aclsimLiveCount(int32_t device);

/* Events (event.c, event_state.c). */
ACLSIM_ENGINE aclError aclsimEventCreate(aclrtEvent *event, uint32_t flags, bool extended);
ACLSIM_ENGINE aclError rtEventDestroy(aclrtEvent event);
ACLSIM_ENGINE aclError rtEventRecord(aclrtEvent event, aclrtStream stream);
ACLSIM_ENGINE aclError rtEventReset(aclrtEvent event, aclrtStream stream);
ACLSIM_ENGINE aclError aclsimEventQuery(aclrtEvent event, bool *complete);
ACLSIM_ENGINE aclError aclsimEventQueryStatus(aclrtEvent event, bool *recorded);
ACLSIM_ENGINE aclError aclsimEventQueryWaitStatus(aclrtEvent event, bool *complete);
ACLSIM_ENGINE aclError rtEventSynchronizeWithTimeout(aclrtEvent event, int32_t timeout);
ACLSIM_ENGINE aclError rtEventElapsedTime(float *ms, aclrtEvent start, aclrtEvent end);
ACLSIM_ENGINE aclError rtEventGetTimeStamp(uint64_t *microseconds, aclrtEvent event);
ACLSIM_ENGINE aclError rtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

ACLSIM_ENGINE aclError rtEventRecordOutside(aclrtEvent event, aclrtStream stream);
ACLSIM_ENGINE aclError rtStreamWaitEventOutside(aclrtStream stream, aclrtEvent event);
ACLSIM_ENGINE aclError rtEventGetId(aclrtEvent event, uint32_t *id);
ACLSIM_ENGINE aclError rtEventAvailable(uint32_t *count);
ACLSIM_ENGINE aclError rtIpcGetEventHandle(aclrtEvent event, char *name, size_t room);
ACLSIM_ENGINE aclError rtIpcOpenEventHandle(const char *name, aclrtEvent *event);

/* Graphs after the capture (graph.c, tasks.c, condition.c). */
ACLSIM_ENGINE aclError rtModelAbort(aclmdlRI graph);
ACLSIM_ENGINE aclError rtModelSetName(aclmdlRI graph, const char *name);
ACLSIM_ENGINE aclError rtModelGetName(aclmdlRI graph, uint32_t room, char *name);
ACLSIM_ENGINE aclError rtModelGetId(aclmdlRI graph, uint32_t *id);
ACLSIM_ENGINE aclError rtModelDebugDotPrint(aclmdlRI graph);
ACLSIM_ENGINE aclError rtModelDebugJsonPrint(aclmdlRI graph, const char *path);
ACLSIM_ENGINE aclError rtModelOnDestroy(aclmdlRI graph, void (*function)(void *), void *data);
ACLSIM_ENGINE aclError rtModelForgetDestroy(aclmdlRI graph, void (*function)(void *));
ACLSIM_ENGINE aclError rtModelUpdate(aclmdlRI graph);
ACLSIM_ENGINE aclError rtModelGetStreams(aclmdlRI graph, aclrtStream *streams, uint32_t *count);
ACLSIM_ENGINE aclError rtStreamGetTasks(aclrtStream stream, aclmdlRITask *tasks, uint32_t *count);
ACLSIM_ENGINE aclError rtTaskGetType(aclmdlRITask task, aclmdlRITaskType *type);
ACLSIM_ENGINE aclError rtTaskGetSeqId(aclmdlRITask task, uint32_t *number);
ACLSIM_ENGINE aclError rtTaskGetParams(aclmdlRITask task, aclmdlRITaskParams *params);
ACLSIM_ENGINE aclError rtTaskSetParams(aclmdlRITask task, const aclmdlRITaskParams *params);
ACLSIM_ENGINE aclError rtModelTaskDisable(aclmdlRITask task);
ACLSIM_ENGINE aclError rtsStreamBeginTaskGrp(aclrtStream stream);
ACLSIM_ENGINE aclError rtsStreamEndTaskGrp(aclrtStream stream, aclrtTaskGrp *group);
ACLSIM_ENGINE aclError rtsStreamBeginTaskUpdate(aclrtStream stream, aclrtTaskGrp group);
ACLSIM_ENGINE aclError rtsStreamEndTaskUpdate(aclrtStream stream);
ACLSIM_ENGINE aclError rtModelCondHandleCreate(aclmdlRI graph, uint32_t first, uint32_t flag, aclmdlRICondHandle *handle);
ACLSIM_ENGINE aclError rtModelCondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t **address);
ACLSIM_ENGINE aclError rtStreamAddCondTask(aclmdlRICondTaskParams *params, aclrtStream stream, uint32_t flags);
ACLSIM_ENGINE aclError rtsActiveStream(aclrtStream target, aclrtStream stream);
ACLSIM_ENGINE aclError rtsSwitchStream(const void *left, aclrtCondition condition, const void *right,
                                       aclrtCompareDataType type, aclrtStream target, aclrtStream stream);

/* Kernels, their binaries and arguments (kernel.c, binary.c, arguments.c). */
ACLSIM_ENGINE aclError rtsLaunchKernelWithPlaces(aclrtFuncHandle function, uint32_t blocks, const void *args, size_t size,
                                                 const aclrtPlaceHolderInfo *places, size_t count, aclrtStream stream);
ACLSIM_ENGINE aclError rtsLaunchKernelWithArgs(aclrtFuncHandle function, uint32_t blocks, aclrtArgsHandle args,
                                               aclrtStream stream);
ACLSIM_ENTRY aclError rtKernelDefine(const char *name, void (*code)(void *args));
ACLSIM_ENGINE aclError rtsBinaryLoadFromData(const void *data, size_t size, aclrtBinHandle *binary);
ACLSIM_ENGINE aclError rtsBinaryLoadFromFile(const char *path, aclrtBinHandle *binary);
ACLSIM_ENGINE aclError rtBinaryUnLoad(aclrtBinHandle binary);
ACLSIM_ENGINE aclError rtsBinaryGetDevAddress(aclrtBinHandle binary, void **address, size_t *size);
ACLSIM_ENGINE aclError rtsFuncGetByName(aclrtBinHandle binary, const char *name, aclrtFuncHandle *function);
ACLSIM_ENGINE aclError rtFunctionGetBinary(aclrtFuncHandle function, aclrtBinHandle *binary);
ACLSIM_ENGINE aclError rtsFuncGetName(aclrtFuncHandle function, uint32_t room, char *name);
ACLSIM_ENGINE aclError rtsKernelArgsInit(aclrtFuncHandle function, aclrtArgsHandle *args);
ACLSIM_ENGINE aclError rtsKernelArgsInitByUserMem(aclrtFuncHandle function, aclrtArgsHandle args, void *memory, size_t size);
ACLSIM_ENGINE size_t rtsKernelArgsHandleSize(void);
ACLSIM_ENGINE aclError rtsKernelArgsAppend(aclrtArgsHandle args, const void *value, size_t size, aclrtParamHandle *which);
ACLSIM_ENGINE aclError rtsKernelArgsAppendPlaceHolder(aclrtArgsHandle args, aclrtParamHandle *which);
ACLSIM_ENGINE aclError rtsKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle args, aclrtParamHandle which, size_t size,
                                                         void **buffer);
ACLSIM_ENGINE aclError rtsKernelArgsParaUpdate(aclrtArgsHandle args, aclrtParamHandle which, const void *value, size_t size);
ACLSIM_ENGINE aclError rtsKernelArgsFinalize(aclrtArgsHandle args);

/* Limits and counts (limits.c). */
ACLSIM_ENGINE aclError rtDeviceLimit(int32_t device, aclrtDevResLimitType type, uint32_t *value);
ACLSIM_ENGINE aclError rtDeviceSetLimit(int32_t device, aclrtDevResLimitType type, uint32_t value);
ACLSIM_ENGINE aclError rtDeviceResetLimit(int32_t device);
ACLSIM_ENGINE aclError rtStreamLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value);
ACLSIM_ENGINE aclError rtStreamSetLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value);
ACLSIM_ENGINE aclError rtStreamResetLimit(aclrtStream stream);
ACLSIM_ENGINE aclError rtStreamUseLimit(aclrtStream stream, bool use);
ACLSIM_ENGINE aclError rtThreadLimit(aclrtDevResLimitType type, uint32_t *value);
ACLSIM_ENGINE aclError rtStreamSetAttribute(aclrtStream stream, aclrtStreamAttr attribute, const aclrtStreamAttrValue *value);
ACLSIM_ENGINE aclError rtStreamGetAttribute(aclrtStream stream, aclrtStreamAttr attribute, aclrtStreamAttrValue *value);
ACLSIM_ENGINE aclError rtContextOption(uint32_t option, int64_t *value);
ACLSIM_ENGINE aclError rtContextSetOption(uint32_t option, int64_t value);
ACLSIM_ENGINE aclError rtStreamAvailable(uint32_t *count);
ACLSIM_ENGINE uint32_t rtThreadLastTask(void);
/* Bytes of device memory now and at most, by component. */
struct aclsim_usage {
    const char *name;
    uint64_t now, most;
};
ACLSIM_ENGINE size_t aclsimUsage(int32_t device, struct aclsim_usage usage[2]);
ACLSIM_ENGINE aclError rtsCheckMemType(void *const *addresses, uint32_t count, uint32_t kinds, uint32_t *result);
ACLSIM_ENGINE aclError rtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp *prop);
ACLSIM_ENGINE aclError rtsLaunchRandomNumTask(const aclrtRandomNumTaskInfo *task, aclrtStream stream);

/* Notifies of other processes (notify.c). */
ACLSIM_ENGINE aclError rtNotifyGetExportKey(aclrtNotify notify, char *key, size_t room, bool open);
ACLSIM_ENGINE aclError rtNotifyImportByKey(aclrtNotify *notify, const char *key);
ACLSIM_ENGINE aclError rtNotifySetImportPid(aclrtNotify notify, const int32_t *pids, size_t count);

/* Says once, by name, that a function is not modeled, and returns the error of an absent feature (quiet.c). */
ACLSIM_ENGINE aclError aclsimNotModelled(const char *function);

/* Graph capture (capture.c). */
ACLSIM_ENGINE aclError rtStreamBeginCapture(aclrtStream stream, aclmdlRICaptureMode mode);
ACLSIM_ENGINE aclError rtStreamBeginCaptureToModel(aclrtStream stream, aclmdlRI graph, aclmdlRICaptureMode mode);
ACLSIM_ENGINE aclError rtStreamEndCapture(aclrtStream stream, aclmdlRI *graph);
ACLSIM_ENGINE aclError rtStreamGetCaptureInfo(aclrtStream stream, bool *active, aclmdlRI *graph);
ACLSIM_ENGINE aclError rtThreadExchangeCaptureMode(aclmdlRICaptureMode *mode);
ACLSIM_ENGINE aclError rtsModelCreate(aclmdlRI *graph, uint32_t flag);
ACLSIM_ENGINE aclError rtsModelBindStream(aclmdlRI graph, aclrtStream stream, uint32_t flag);
ACLSIM_ENGINE aclError rtsEndGraph(aclmdlRI graph, aclrtStream stream);
ACLSIM_ENGINE aclError rtsModelLoadComplete(aclmdlRI graph);
ACLSIM_ENGINE aclError rtsModelUnbindStream(aclmdlRI graph, aclrtStream stream);
ACLSIM_ENGINE aclError rtModelExecute(aclmdlRI graph, aclrtStream stream);
ACLSIM_ENGINE aclError rtModelDestroy(aclmdlRI graph);

/* Labels (label.c). */
ACLSIM_ENGINE aclError rtsLabelCreate(aclrtLabel *label);
ACLSIM_ENGINE aclError rtsLabelDestroy(aclrtLabel label);
ACLSIM_ENGINE aclError rtsLabelSet(aclrtLabel label, aclrtStream stream);
ACLSIM_ENGINE aclError rtsLabelSwitchListCreate(aclrtLabel *labels, size_t count, aclrtLabelList *list);
ACLSIM_ENGINE aclError rtsLabelSwitchListDestroy(aclrtLabelList list);
ACLSIM_ENGINE aclError rtsLabelSwitchByIndex(void *index, uint32_t count, aclrtLabelList list, aclrtStream stream);

/* Host functions (report.c). */
ACLSIM_ENGINE aclError rtSubscribeReport(uint64_t thread, aclrtStream stream);
ACLSIM_ENGINE aclError rtUnSubscribeReport(uint64_t thread, aclrtStream stream);
ACLSIM_ENGINE aclError rtProcessReport(int32_t timeout);
ACLSIM_ENGINE aclError rtCallbackLaunch(aclrtCallback callback, void *data, aclrtStream stream, bool block);
ACLSIM_ENGINE aclError rtsLaunchHostFunc(aclrtStream stream, aclrtHostFunc function, void *args);

/* graph_engine.c: whether a library is loaded that brings the graph engine along, which sets the process's options. */
ACLSIM_ENTRY void aclsimHasGraphEngine(void);
ACLSIM_ENTRY bool aclsimGraphEngine(void);

#endif
