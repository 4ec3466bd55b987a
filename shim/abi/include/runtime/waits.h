/* Waits of the layer below AscendCL. Timeouts in milliseconds; -1 waits forever. */
#ifndef ACLSAN_RUNTIME_WAITS_H
#define ACLSAN_RUNTIME_WAITS_H

#include "mem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *rtStream_t;
typedef void *rtEvent_t;

rtError_t rtStreamSynchronize(rtStream_t stm);
rtError_t rtStreamSynchronizeWithTimeout(rtStream_t stm, int32_t timeout);
rtError_t rtsStreamSynchronize(rtStream_t stm, int32_t timeout);
rtError_t rtDeviceSynchronize(void);
rtError_t rtDeviceSynchronizeWithTimeout(int32_t timeout);
rtError_t rtsDeviceSynchronize(int32_t timeout);
rtError_t rtEventSynchronize(rtEvent_t evt);
rtError_t rtEventSynchronizeWithTimeout(rtEvent_t evt, const int32_t timeout);
rtError_t rtsEventSynchronize(rtEvent_t evt, const int32_t timeout);

#ifdef __cplusplus
}
#endif

#endif
