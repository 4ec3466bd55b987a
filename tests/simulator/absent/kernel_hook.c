/* libascend_kernel_hook.so: torch_npu reports its memory pool through mstx only while a library of this name is preloaded. */
#include "absent.h"

__attribute__((visibility("default"))) extern const int aclsim_kernel_hook_is_absent;
const int aclsim_kernel_hook_is_absent = 1;
