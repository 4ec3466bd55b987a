/* libascend_dump.so: dumps of tensors and of failed operators. */
#include "absent.h"

ABSENT_CODE(acldumpRegCallback)
ABSENT_NOTHING(acldumpUnregCallback)
ABSENT_CODE(aclopStartDumpArgs)
ABSENT_CODE(aclopStopDumpArgs)
ABSENT_POINTER(acldumpGetPath)
ABSENT_CODE(acldumpSaveExceptionInfo)
ABSENT_CODE(acldumpGetExceptionInfoPath)
