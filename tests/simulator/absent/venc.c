/* The video encoder of libacl_dvpp.so. */
#include "venc.h"

#include "absent.h"

VENC_CODE_EXPORTS(ABSENT_CODE)
VENC_POINTER_EXPORTS(ABSENT_POINTER)
VENC_NUMBER_EXPORTS(ABSENT_NUMBER)
