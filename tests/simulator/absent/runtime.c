/* libruntime.so: the kernel interface of the runtime below AscendCL, which torch_npu refers to and does not call. */
#include "absent.h"

ABSENT_CODE(rtDevBinaryRegister)
ABSENT_CODE(rtFunctionRegister)
ABSENT_CODE(rtKernelLaunch)
