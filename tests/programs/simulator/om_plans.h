/* A model of one input and one output that the programs share: 3 x 5 floats in, 5 floats out. */
#ifndef OM_PLANS_H
#define OM_PLANS_H

#include "acl/error_codes/ge_error_codes.h"
#include "expect.h"
#include "om_writer.h"

enum { PLAIN_WORK = 4096, PLAIN_ZERO_COPY = 1024, PLAIN_IN = 60, PLAIN_OUT = 20 };

static const uint8_t plain_weights[96] = {1, 2, 3, 4};

/* Padded sizes are those of the compiler: 32 more, then up to a multiple of 32. */
static const struct om_tensor_plan plain_input[] = {
    {.name = "x", .dtype = OM_DT_FLOAT, .layout = "ND", .rank = 2, .dims = {3, 5}, .size = 60, .padded = 96},
};
static const struct om_tensor_plan plain_output[] = {
    {.name = "last", .dtype = OM_DT_FLOAT, .layout = "NHWC", .rank = 2, .dims = {1, 5}, .padded = 64},
};
static const struct om_attr plain_model[] = {
    OM_INT("memory_size", PLAIN_WORK),
    OM_INT("zero_copy_memory_size", PLAIN_ZERO_COPY),
    OM_STRS("attr_model_out_nodes_name", "y"),
    {.name = NULL},
};

OM_UNUSED struct om_plan plainPlan(char generation)
{
    return (struct om_plan){
        .generation = generation, .name = "plain", .inputs = 1, .outputs = 1, .input = plain_input, .output = plain_output,
        .model = plain_model, .weights = plain_weights, .weight_size = sizeof plain_weights, .task_memory = PLAIN_WORK,
    };
}

OM_UNUSED struct bytes plainModel(char generation)
{
    struct om_plan plan = plainPlan(generation);
    return omWrite(&plan);
}

/* Datasets of buffers that the caller made. */
OM_UNUSED aclmdlDataset *datasetOf(void *address, size_t size)
{
    aclmdlDataset *made = aclmdlCreateDataset();
    OK(aclmdlAddDatasetBuffer(made, aclCreateDataBuffer(address, size)));
    return made;
}

OM_UNUSED void forget(aclmdlDataset *gone)
{
    for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(gone); i++) {
        OK(aclDestroyDataBuffer(aclmdlGetDatasetBuffer(gone, i)));
    }
    OK(aclmdlDestroyDataset(gone));
}

OM_UNUSED void *deviceBlock(size_t size)
{
    void *block = NULL;
    OK(aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return block;
}

OM_UNUSED void begin(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
}

OM_UNUSED void end(void)
{
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

#endif
