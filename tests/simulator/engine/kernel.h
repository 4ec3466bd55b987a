/* Kernels are host functions, by address or by a name looked up in a binary. */
#ifndef ACLSIM_KERNEL_H
#define ACLSIM_KERNEL_H

#include "stream.h"

/* A launch with its own copy of the arguments; `free` ends its life. */
aclError kernelMake(aclrtFuncHandle function, uint32_t blocks, const void *args, size_t size, void **kernel);
bool kernelIs(aclError (*run)(void *));
void kernelDescribe(const void *kernel, struct aclmdlRIKernelTaskParams *params);

/* binary.c: the host function of a handle, which may be its own address. NULL: the kernel has none, and does nothing. */
void (*functionCode(aclrtFuncHandle function))(void *args);

#endif
