/* Operators that the simulated device's cores compute, on accessible tensor bytes.
 *
 * A kernel knows nothing of streams or device memory. It may rely on what `infer` accepted: ranks, shapes and types. */
#ifndef SIMULATOR_KERNEL_H
#define SIMULATOR_KERNEL_H

#include "attribute.h"
#include "tensor.h"

enum { KERNEL_TENSORS = 8 };

struct kernel {
    const char *name;
    int inputs; /* how many it needs at least */
    /* Fills the output's type and shape. False: these inputs do not fit the operator. */
    bool (*infer)(const struct view *inputs, int count, const aclopAttr *attributes, struct view *output);
    void (*compute)(const struct view *inputs, int count, const aclopAttr *attributes, const struct view *output);
};

/* An operator by its CANN name or its ONNX name; NULL when the simulator does not have it. */
const struct kernel *kernelFind(const char *name);

/* An operator with several results. Inputs that may be absent have no type then, and no bytes. */
struct wide_kernel {
    const char *name;
    int inputs, outputs;
    bool (*fits)(const struct view *inputs, const aclopAttr *attributes, const struct view *outputs);
    bool (*compute)(const struct view *inputs, const aclopAttr *attributes, const struct view *outputs); /* false without memory */
};

enum { WIDE_INPUTS = 24, WIDE_OUTPUTS = 8 };

/* NULL for an operator without such a kernel. */
const struct wide_kernel *wideKernelFind(const char *name);
extern const struct wide_kernel recurrent_kernels[];

/* The families, each a table that ends with a NULL name. */
extern const struct kernel elementwise_kernels[];
extern const struct kernel matrix_kernels[];
extern const struct kernel shape_kernels[];
extern const struct kernel norm_kernels[];
extern const struct kernel mean_kernels[];

/* A shape of the two operands' broadcast; false when they do not fit together. */
bool broadcastShape(const struct shape *one, const struct shape *other, struct shape *result);
/* The position of element `index` of a tensor of shape `whole` in an operand that is broadcast to it. */
int64_t broadcastIndex(const struct shape *operand, const struct shape *whole, int64_t index);

#endif
