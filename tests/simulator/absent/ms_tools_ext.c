/* libms_tools_ext.so: mstx for programs that open a library for it, as torch_npu does. */
#define MSTX_DECLSPEC __attribute__((visibility("default")))
#include "../include/mstx/ms_tools_ext.h"
