/* One operator as a task on a stream. */
#ifndef SIMULATOR_OPERATOR_H
#define SIMULATOR_OPERATOR_H

#include "../engine.h"
#include "kernel.h"

/* Whether the simulator has the operator and the descriptors fit it: what compiling finds out. */
ACLSIM_ENTRY aclError aclsimOperatorCheck(const char *type, int inputs, const aclTensorDesc *const input_descs[], int outputs,
                        const aclTensorDesc *const output_descs[], const aclopAttr *attributes);

/* Queues it. Everything but the tensors' memory is copied before this returns. */
ACLSIM_ENTRY aclError aclsimOperatorSubmit(const char *type, int inputs, const aclTensorDesc *const input_descs[],
                         const aclDataBuffer *const input_buffers[], int outputs,
                         const aclTensorDesc *const output_descs[], aclDataBuffer *const output_buffers[],
                         const aclopAttr *attributes, aclrtStream stream);

/* The simulator's own window on device memory that a task reads or writes.
 *
 * Looked up when the task runs, so that memory released meanwhile is missing then: NULL, which a task answers with
 * ACL_ERROR_RT_AICORE_EXCEPTION as a core does that touches an address with no memory behind it. */
void *device_window(const void *address, size_t bytes);

#endif
