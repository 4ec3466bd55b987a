/* libprofapi.so: what profilers of frameworks call. */
#include "absent.h"

ABSENT_CODE(MsprofSetDeviceIdByGeModelIdx)
