/* A small offline model of 60 bytes in and 20 out, alone and twice in a bundle with 256 bytes of variables. */
#ifndef PROGRAMS_OFFLINE_H
#define PROGRAMS_OFFLINE_H
#include "../rt.h"
#include "../simulator/om_writer.h"

enum { WORK = 4096, WEIGHTS = 96, VARIABLES = 256, IN = 60, OUT = 20 };

static const uint8_t weights_of_file[WEIGHTS] = {1, 2, 3};
static const struct om_tensor_plan input_plan = {
    .name = "x", .dtype = OM_DT_FLOAT, .layout = "ND", .rank = 2, .dims = {3, 5}, .size = IN, .padded = 96};
static const struct om_tensor_plan output_plan = {
    .name = "last", .dtype = OM_DT_FLOAT, .layout = "ND", .rank = 2, .dims = {1, 5}, .padded = 64};
static const struct om_attr model_attrs[] = {OM_INT("memory_size", WORK), {.name = NULL}};

static inline struct om_plan offlinePlan(void) {
    return (struct om_plan){
        .generation = 'D', .name = "plain", .inputs = 1, .outputs = 1, .input = &input_plan, .output = &output_plan,
        .model = model_attrs, .weights = weights_of_file, .weight_size = WEIGHTS, .task_memory = WORK,
    };
}

static inline struct bytes bundled(void) {
    struct om_plan plan = offlinePlan();
    struct bytes model = omWrite(&plan), body = {0};
    int64_t variables = VARIABLES;
    struct om_part parts[] = {{25, &variables, 8}, {24, model.data, model.length}, {24, model.data, model.length}};
    putTable(&body, parts, 3, true);
    struct bytes file = omWithHeader('D', &body, 5, 0, false);
    free(model.data), free(body.data);
    return file;
}

static inline aclmdlDataset *dataset(void *data, size_t size) {
    aclmdlDataset *made = aclmdlCreateDataset();
    MUST(aclmdlAddDatasetBuffer(made, aclCreateDataBuffer(data, size)));
    return made;
}

static inline void forget(aclmdlDataset *gone) {
    for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(gone); i++) {
        MUST(aclDestroyDataBuffer(aclmdlGetDatasetBuffer(gone, i)));
    }
    MUST(aclmdlDestroyDataset(gone));
}
#endif
