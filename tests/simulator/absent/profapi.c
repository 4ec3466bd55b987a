/* libprofapi.so: what profilers of frameworks call. */
#include "absent.h"

ABSENT_CODE(MsprofSetDeviceIdByGeModelIdx)

/* torch_npu reports each of its calls, whether anyone listens or not: no word about these. */
#define UNHEARD(type, name) \
    __attribute__((visibility("default"))) type unheard_##name(void) __asm__(#name); \
    type unheard_##name(void) \
    { \
        return 0; \
    }
UNHEARD(uint64_t, MsprofGetHashId)
UNHEARD(int, MsprofRegisterCallback)
UNHEARD(int, MsprofReportAdditionalInfo)
UNHEARD(int, MsprofReportApi)
UNHEARD(int, MsprofReportCompactInfo)
UNHEARD(uint64_t, MsprofSysCycleTime)
