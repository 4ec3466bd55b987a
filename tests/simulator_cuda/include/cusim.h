/* The simulator's own functions: kernels that are functions of the host. */
#ifndef CUSIM_H
#define CUSIM_H

#include <cuda.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A launch, as a kernel sees it. `arguments[i]` points to a copy of the i-th argument. */
struct cusimLaunch {
    unsigned grid[3], block[3], shared;
    void *const *arguments;
};
typedef void (*cusimFunction)(const struct cusimLaunch *launch);

/* The first line of a module's image; each further line is the name of a kernel. */
#define CUSIM_MODULE "cusim module\n"

/* Registers a kernel with the sizes of its parameters; the last of a name holds. 0 if it cannot. */
int cusimKernel(const char *name, cusimFunction function, unsigned count, const size_t *sizes);
/* For kernels only: the bytes of device memory, or NULL where there are not `size` of one range; the launch then
 * fails with CUDA_ERROR_ILLEGAL_ADDRESS. */
void *cusimReach(CUdeviceptr address, size_t size);

#ifdef __cplusplus
}
#endif

#endif
