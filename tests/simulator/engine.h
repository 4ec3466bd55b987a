/* What the public functions call. In the split topology this is the surface of
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
#include "runtime/mem.h"

#define ACLSIM_ENTRY __attribute__((visibility("default")))
#ifdef ACLSIM_SPLIT
#define ACLSIM_ENGINE __attribute__((visibility("default")))
#else
#define ACLSIM_ENGINE
#endif

/* Chip profile (soc.c). */
struct aclsim_soc {
    const char *alias;       /* what ACLSIM_SOC may say instead of `name` */
    const char *name;        /* what aclrtGetSocName answers */
    aclrtRunMode run_mode;
    uint32_t padding;        /* bytes that aclrtMalloc adds after rounding */
    uint32_t devices;
    uint64_t memory_bytes;
    bool has_hbm;
    bool has_giant_pages;
    bool has_media_heap;     /* false: media memory is ordinary device memory */
    uint32_t cube_cores;
    uint32_t vector_cores;
};
ACLSIM_ENGINE const struct aclsim_soc *aclsimSoc(void);
ACLSIM_ENGINE uint32_t aclsimDeviceCount(void);

/* Failures: injected ones (fault.c) and the record of real ones (message.c). */
ACLSIM_ENTRY aclError aclsimInjected(const char *function);
ACLSIM_ENTRY aclError aclsimFailed(const char *function, aclError code);
ACLSIM_ENGINE const char *aclsimMessage(void);
ACLSIM_ENGINE aclError aclsimLastError(bool clear);

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

/* Streams (stream.c). Timeouts in milliseconds, -1 without end. */
ACLSIM_ENGINE aclError rtStreamCreateWithFlags(aclrtStream *stream, int32_t priority, uint32_t flags);
ACLSIM_ENGINE aclError rtStreamDestroy(aclrtStream stream);
ACLSIM_ENGINE aclError rtStreamDestroyForce(aclrtStream stream);
ACLSIM_ENGINE aclError rtStreamSynchronizeWithTimeout(aclrtStream stream, int32_t timeout);
ACLSIM_ENGINE aclError aclsimStreamQuery(aclrtStream stream, bool *complete);
ACLSIM_ENGINE aclError aclsimStreamDescribe(aclrtStream stream, int32_t *id, uint32_t *priority, uint32_t *flags);

/* Queues `run(argument)` on a stream of the current context (NULL: its default
 * stream). What `run` answers surfaces at the next synchronise. `drop`, if any,
 * ends the argument's life, whether `run` ran or not. */
ACLSIM_ENTRY aclError aclsimEnqueue(aclrtStream stream, aclError (*run)(void *argument), void (*drop)(void *argument),
                                    void *argument);

/* Where the simulator itself may touch `size` bytes behind a device, pinned or
 * pageable address; `*reach` is how many of them are mapped. */
ACLSIM_ENTRY void *aclsimView(const void *address, uint64_t size, uint64_t *reach);
/* The block that holds an address; false when there is none. */
ACLSIM_ENTRY bool aclsimBlock(const void *address, void **base, uint64_t *size);
/* Blocks not released; device -1 stands for pinned host memory. */
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

/* Host functions (report.c). */
ACLSIM_ENGINE aclError rtSubscribeReport(uint64_t thread, aclrtStream stream);
ACLSIM_ENGINE aclError rtUnSubscribeReport(uint64_t thread, aclrtStream stream);
ACLSIM_ENGINE aclError rtProcessReport(int32_t timeout);
ACLSIM_ENGINE aclError rtCallbackLaunch(aclrtCallback callback, void *data, aclrtStream stream, bool block);
ACLSIM_ENGINE aclError rtsLaunchHostFunc(aclrtStream stream, aclrtHostFunc function, void *args);

#endif
