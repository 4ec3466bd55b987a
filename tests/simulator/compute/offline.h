/* A loaded offline model: its memory, and a substitute for the code that only the chip can run. */
#ifndef SIMULATOR_OFFLINE_H
#define SIMULATOR_OFFLINE_H

#include "../om/om.h"
#include "device_window.h"
#include "tensor.h"

struct model;
struct model_source;

/* A block besides work and weights: external weights, memory of a special kind. */
struct offline_block {
    void *address;
    uint64_t bytes;
    bool is_own, is_read;
};

enum { OFFLINE_NUMBERS = 128 };

struct offline {
    bool is_dynamic; /* shapes come with each execution */
    bool has_dynamic_aipp;
    uint64_t seed; /* of the name */
    struct om_bytes definition; /* a copy of the first table's */
    size_t blocks;
    struct offline_block *block;
    /* The gear that was set last; of all threads, as in the runtime. */
    size_t numbers;
    int64_t number[OFFLINE_NUMBERS];
    int32_t kind;
    /* ACLSIM_OM_MODEL: an ONNX file that computes instead, in memory of its own. */
    struct graph *substitute;
    void *substitute_work, *substitute_weights;
    /* ACLSIM_OM_OUTPUT: contents of files, by output. */
    struct om_bytes *contents;
};

aclError offlineLoad(struct model *model, const struct model_source *source);
void offlineFree(struct offline *offline);
/* offline_substitute.c: reads the file that ACLSIM_OM_MODEL names. */
aclError offlineSubstitute(struct model *model, const struct om_model *read);

/* A buffer of a dataset, and how many of its bytes the model touches. */
struct offline_buffer {
    void *address;
    uint64_t size, touched;
    size_t rank; /* of an output whose shape is open, with its dims */
    int64_t dims[TENSOR_DIMS];
};

/* Runs it, on the device's side: reads every input byte and all weights, writes all work memory and every output byte. */
aclError offlineRun(const struct model *model, const struct offline_buffer *inputs, const struct offline_buffer *outputs);
/* Sizes of the gear that the inputs ask for; looked up as the model runs, since a device buffer has the numbers. */
void offlineTouched(const struct model *model, struct offline_buffer *inputs, struct offline_buffer *outputs);

/* offline_output.c: the bytes of one output; `hash` is of all inputs and weights. */
void offlineFill(const struct model *model, size_t output, void *bytes, uint64_t size, uint64_t hash);
uint64_t offlineHash(uint64_t hash, const void *bytes, uint64_t size);
void offlineReadContents(struct model *model);
/* Once for each model: that its numbers are not the chip's. */
void offlineSay(const struct om_model *read);

#endif
