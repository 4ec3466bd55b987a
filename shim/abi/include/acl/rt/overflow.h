/* Whether floating-point work overflowed. The status is 64 bytes of device memory, written in stream order; 0 in the first word: nothing
 * overflowed. Other sizes are refused. */
#ifndef ACLSAN_RT_OVERFLOW_H
#define ACLSAN_RT_OVERFLOW_H

#include "../acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream stream);
aclError aclrtGetFloatOverflowStatus(void *outputAddr, uint64_t outputSize, aclrtStream stream);
aclError aclrtNpuGetFloatOverFlowStatus(void *outputAddr, uint64_t outputSize, uint32_t checkMode, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
