/* One operator as a task on a stream. */
#ifndef SIMULATOR_OPERATOR_H
#define SIMULATOR_OPERATOR_H

#include "device_window.h"
#include "kernel.h"

/* Whether the simulator has the operator and the descriptors fit it: what compiling finds out. */
ACLSIM_ENTRY aclError aclsimOperatorCheck(const char *type, int inputs, const aclTensorDesc *const input_descs[], int outputs,
                        const aclTensorDesc *const output_descs[], const aclopAttr *attributes);

/* Queues it. Everything but the tensors' memory is copied before this returns. */
ACLSIM_ENTRY aclError aclsimOperatorSubmit(const char *type, int inputs, const aclTensorDesc *const input_descs[],
                         const aclDataBuffer *const input_buffers[], int outputs,
                         const aclTensorDesc *const output_descs[], aclDataBuffer *const output_buffers[],
                         const aclopAttr *attributes, aclrtStream stream);

/* The same for operators with several results. */
aclError wideCheck(const struct wide_kernel *kernel, int inputs, const aclTensorDesc *const input_descs[], int outputs,
                   const aclTensorDesc *const output_descs[], const aclopAttr *attributes);
aclError wideSubmit(const struct wide_kernel *kernel, int inputs, const aclTensorDesc *const input_descs[],
                    const aclDataBuffer *const input_buffers[], int outputs, const aclTensorDesc *const output_descs[],
                    aclDataBuffer *const output_buffers[], const aclopAttr *attributes, aclrtStream stream);

#endif
