/* Functions that only the simulator has: kernels that write to given addresses, and reads of
 * device memory without side effects. Exported by libascendcl.so in every topology. */
#ifndef ACLSIM_H
#define ACLSIM_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Queues a kernel that writes `len` bytes of `value` from `dev` on, in bounds or not.
 * An unmapped page traps: ACL_ERROR_RT_AICORE_EXCEPTION at the next synchronize. */
aclError aclsimLaunchWrite(void *dev, size_t len, int value, aclrtStream stream);

/* Queues a kernel that copies on the device, in bounds or not. */
aclError aclsimLaunchCopy(void *dst, const void *src, size_t len, aclrtStream stream);

/* Device memory accesses for kernels, which are host functions here. An unmapped page traps the kernel at the
 * first such byte: ACL_ERROR_RT_AICORE_EXCEPTION at the next synchronize. A load leaves the rest of `out` alone. */
void aclsimStore(void *dev, const void *bytes, size_t len);
void aclsimLoad(const void *dev, void *out, size_t len);

/* Does what the model engine does for a dynamic shape: takes `len` bytes from the allocator that the program registered for
 * `stream`, queues a kernel that writes them, waits for it and gives them back. */
aclError aclsimRunWithAllocator(size_t len, aclrtStream stream);

/* Names the host function that runs where a program asks a binary for the kernel `name`, whichever binary that is. Without one,
 * a function that the program exports under that name runs. */
aclError aclsimDefineKernel(const char *name, void (*code)(void *args));

/* Declares a variable of device code: `symbol` names the `size` bytes at `dev` until the process ends. */
aclError aclsimDefineSymbol(const void *symbol, void *dev, size_t size);

/* Reads memory at once, bypassing every stream; ACL_ERROR_RT_PARAM_INVALID if not
 * all of it is mapped. Works for blocks that were released, while their pages stay. */
aclError aclsimRead(const void *dev, void *out, size_t len);

/* 1 while `address` is in a live block, else 0. */
int aclsimIsLive(const void *address);

/* Blocks not released on a device; -1 counts pinned host blocks. */
size_t aclsimLiveBlocks(int32_t device);

/* How many executors were made of plans that a thread had kept (CanUsePTACache, PTAGetExecCache, …). Exported by libnnopbase.so. */
uint64_t aclsimPlansReused(void);

#ifdef __cplusplus
}
#endif

#endif
