/* Loaded models, by id. */
#ifndef SIMULATOR_MODEL_H
#define SIMULATOR_MODEL_H

#include "graph.h"

struct model {
    struct graph *graph;
    void *work, *weights;
    bool owns_work, owns_weights; /* allocated here; otherwise the caller's until aclmdlUnload */
    int holders;                  /* the table, descriptions, queued executions */
};

/* Takes a hold on it; NULL for an id that is not loaded. */
struct model *modelHold(uint32_t id);
void modelRelease(struct model *model);

/* Loads a model; memory that is NULL is the model's own. */
aclError modelLoad(const void *bytes, size_t length, uint32_t *id, void *work, size_t work_size, void *weights,
                   size_t weight_size);
aclError modelLoadFile(const char *path, uint32_t *id, void *work, size_t work_size, void *weights, size_t weight_size);

/* A file's bytes, to be freed; NULL when it cannot be read. */
void *modelFile(const char *path, size_t *length);

#endif
