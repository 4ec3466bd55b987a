/* libruntime.so: the kernel interface of the runtime below AscendCL, to which torch_npu and MindSpore refer without a call. */
#include "absent.h"

ABSENT_CODE(rtDevBinaryRegister)
ABSENT_CODE(rtFunctionRegister)
ABSENT_CODE(rtKernelLaunch)
ABSENT_CODE(rtDevBinaryUnRegister)
ABSENT_CODE(rtGetC2cCtrlAddr)
ABSENT_CODE(rtLaunch)
