/* The legacy HiAI Matrix in C: memory, and sending it. */
#ifndef ACLSAN_HIAI_C_GRAPH_H
#define ACLSAN_HIAI_C_GRAPH_H

#include <stddef.h>

#include "status.h"

typedef struct HIAI_PortID {
    uint32_t graph_id;
    uint32_t engine_id;
    uint32_t port_id;
} HIAI_PortID_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Up to 256 MiB of ordinary memory that reaches the device without another copy. Waits up to `timeOut` milliseconds for memory to be
 * returned, then returns NULL. `flag` says who releases it once it was sent, see ai_memory.h. */
void *HIAI_DMalloc(const uint32_t dataSize, const uint32_t timeOut, uint32_t flag);
HIAI_StatusT HIAI_DFree(void *dataBuffer);

/* On the device only: memory for the media units. Sending never releases it. */
void *HIAI_DVPP_DMalloc(const uint32_t dataSize);
HIAI_StatusT HIAI_DVPP_DFree(void *dataBuffer);

/* The caller keeps `dataPtr`. */
HIAI_StatusT HIAI_C_SendData(HIAI_PortID_t targetPortConfig, const char *messageName, size_t len, void *dataPtr);

#ifdef __cplusplus
}
#endif

#endif
