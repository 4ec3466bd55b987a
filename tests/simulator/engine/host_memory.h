/* Registered host memory as a device reaches it. A tool may protect the program's pages while a copy is queued; DMA does
 * not see that, and neither may a copy that runs in a thread here. */
#ifndef ACLSIM_HOST_MEMORY_H
#define ACLSIM_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Moves bytes between memory of the simulator's and the program's, whatever protection that has. False if the kernel
 * does not do it: then nothing is known of what was moved. */
bool hostMemoryRead(void *to, const void *from, uint64_t size);
bool hostMemoryWrite(void *to, const void *from, uint64_t size);

#endif
