/* libascend_hal.so: the driver's interface, to which MindSpore's symmetric memory refers. */
#include "absent.h"

/* DRV_ERROR_NOT_SUPPORT */
ABSENT(int, halHostRegister, 0xfffe, "65534")
ABSENT(int, halHostUnregister, 0xfffe, "65534")
