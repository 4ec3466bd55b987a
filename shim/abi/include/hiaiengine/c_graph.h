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

/* Up to 256 MiB of ordinary memory that crosses to the device without another copy; `timeOut` milliseconds are waited
 * for memory to come back, then the answer is NULL. `flag` says who releases it once it was sent, see ai_memory.h. */
void *HIAI_DMalloc(const uint32_t dataSize, const uint32_t timeOut, uint32_t flag);
HIAI_StatusT HIAI_DFree(void *dataBuffer);

/* On the device only: memory that the media units take. Sending never releases it. */
void *HIAI_DVPP_DMalloc(const uint32_t dataSize);
HIAI_StatusT HIAI_DVPP_DFree(void *dataBuffer);

/* `dataPtr` stays the caller's. */
HIAI_StatusT HIAI_C_SendData(HIAI_PortID_t targetPortConfig, const char *messageName, size_t len, void *dataPtr);

#ifdef __cplusplus
}
#endif

#endif
