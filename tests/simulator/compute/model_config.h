/* The configuration of a load. */
#ifndef SIMULATOR_MODEL_CONFIG_H
#define SIMULATOR_MODEL_CONFIG_H

#include "model.h"

enum { SETTINGS = ACL_MDL_WITHOUT_GRAPH_INT32 + 1 };

struct aclmdlConfigHandle {
    union {
        size_t number;
        void *pointer;
    } settings[SETTINGS];
    uint32_t set; /* a bit for each */
    char *path, *weight_path; /* copies */
    struct external_weight *externals;
    size_t external_count;
};

struct model_source configSource(const aclmdlConfigHandle *handle);

#endif
