/* The legacy HiAI Matrix in C++: memory. */
#ifndef ACLSAN_HIAI_AI_MEMORY_H
#define ACLSAN_HIAI_AI_MEMORY_H

#include "status.h"

namespace hiai {

constexpr uint32_t MALLOC_DEFAULT_TIME_OUT = 100000;

typedef enum {
    HIAI_MEMORY_ATTR_NONE = 0,
    /* Sending passes the memory to the Matrix, which releases it. Spelled as in the DDK of 2018. */
    HIAI_MEMORY_ATTR_ATUO_FREE = 0x1 << 1,
    /* The sender releases it after the transfer. */
    HIAI_MEMORY_ATTR_MANUAL_FREE = 0x1 << 2,
} HIAI_MEMORY_ATTR;

/* The DDK of 2018 takes the timeout by reference, the interface description of 2022 by value: two different symbols.
 * HIAI_TIMEOUT_BY_VALUE asks for the second. */
class HIAIMemory {
public:
#ifdef HIAI_TIMEOUT_BY_VALUE
    static HIAI_StatusT HIAI_DMalloc(const uint32_t dataSize, void *&dataBuffer,
                                     const uint32_t timeOut = MALLOC_DEFAULT_TIME_OUT,
                                     uint32_t flag = HIAI_MEMORY_ATTR_ATUO_FREE);
#else
    static HIAI_StatusT HIAI_DMalloc(const uint32_t dataSize, void *&dataBuffer,
                                     const uint32_t &timeOut = MALLOC_DEFAULT_TIME_OUT,
                                     uint32_t flag = HIAI_MEMORY_ATTR_ATUO_FREE);
#endif
    static HIAI_StatusT HIAI_DFree(void *dataBuffer);
    static bool IsDMalloc(const void *dataBuffer, const uint32_t &dataSize);
    static HIAI_StatusT HIAI_DVPP_DMalloc(const uint32_t dataSize, void *&dataBuffer);
    static HIAI_StatusT HIAI_DVPP_DFree(void *dataBuffer);
};

} // namespace hiai

#endif
