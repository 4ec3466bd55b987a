/* Loaded models, by id. */
#ifndef SIMULATOR_MODEL_H
#define SIMULATOR_MODEL_H

#include "graph.h"
#include "acl/acl_mdl.h"
#include "offline.h"

struct model {
    struct graph *graph;     /* an ONNX file's; NULL for an offline model */
    struct offline *offline; /* an offline model's; NULL for an ONNX file */
    struct om_arena arena;   /* what the signature lies in */
    struct om_signature signature;
    void *work, *weights;
    uint64_t work_bytes, weight_bytes; /* that it uses of them */
    bool owns_work, owns_weights; /* allocated here; otherwise the caller's until aclmdlUnload */
    uint32_t priority;
    bool is_bundled;              /* only aclmdlBundle… unload it */
    int holders;                  /* the table, descriptions, queued executions */
};

/* A constant's file that the caller has put in device memory. */
struct external_weight {
    const char *name;
    void *address;
    size_t size;
};

/* The arguments of a load. Memory that is NULL is the model's own. */
struct model_source {
    const void *bytes;
    size_t length;
    const char *path;        /* where the bytes come from, or NULL */
    const char *weight_path; /* folder of external weights, or NULL: `weight` beside the model */
    void *work, *weights;
    size_t work_size, weight_size;
    bool spares_zero_copy; /* no work memory for what only inputs and outputs need */
    bool is_bundled;
    const struct external_weight *externals;
    size_t external_count;
};

/* Takes a hold on it; NULL for an id that is not loaded. */
struct model *modelHold(uint32_t id);
void modelRelease(struct model *model);

aclError modelLoad(const struct model_source *source, uint32_t *id);
aclError modelLoadFile(struct model_source source, uint32_t *id);
aclError modelUnload(uint32_t id, bool is_bundled);
/* Work memory and weights that a load needs. */
aclError modelSizes(const void *bytes, size_t length, size_t *work, size_t *weights);

/* Memory of the model's own, or the caller's. */
aclError modelBlock(void **address, uint64_t needed, bool *owns);

/* A file's bytes, to be freed; NULL when it cannot be read. */
void *modelFile(const char *path, size_t *length);

#endif
