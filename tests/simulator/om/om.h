/* Reads offline models (.om) without running the code inside: the description that a program can query, and the memory it needs.
 *
 * Knows nothing of devices, streams or the public interface, so a fuzzer links it alone. Codes are AscendCL's, 0 for
 * success. Everything that a reader returns lives in its arena or in the file's own bytes. */
#ifndef SIMULATOR_OM_H
#define SIMULATOR_OM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

struct om_dims {
    size_t count;
    const int64_t *at;
};

struct om_names {
    size_t count;
    const char **at;
};

/* One input or output. */
struct om_end {
    const char *name;
    uint64_t size;   /* bytes as a program asks for them */
    uint64_t padded; /* bytes that execution wants room for, less 64 */
    int32_t format, type;
    struct om_dims dims, dims_v2;
    struct om_dims ranges; /* pairs: least, most; most -1 has no end */
    const struct om_aipp *aipp; /* NULL: none */
};

/* Preprocessing of an image before an input; fields have the order of aclAippInfo. */
enum { OM_AIPP_INTEGERS = 39, OM_AIPP_REALS = 8 };
struct om_aipp_dims {
    const char *name;
    uint32_t size;
    struct om_dims dims;
};
struct om_aipp {
    bool has_info, has_mode, has_dims;
    int mode;          /* aclmdlInputAippType */
    int64_t attached;  /* index of the input with the parameters; -1: none */
    int64_t related_input, most_source_bytes;
    int64_t integers[OM_AIPP_INTEGERS];
    float reals[OM_AIPP_REALS];
    int32_t source_format, source_type;
    uint32_t source_rank;
    size_t sources, results;
    const struct om_aipp_dims *source, *result;
};

enum om_gear_kind { OM_GEARS_NONE, OM_GEARS_BATCH, OM_GEARS_IMAGE, OM_GEARS_DIMS };

/* The shapes that a model was compiled for, when there are several. */
struct om_gears {
    int32_t kind; /* as the model says it; 0 when it leaves that to the length of a gear */
    size_t count;
    const struct om_dims *at;
    struct om_names order;        /* names of the inputs that a gear's numbers belong to */
    size_t shapes;
    const struct om_dims *shape;  /* gear (-1: each), output, dims */
};

struct om_signature {
    size_t inputs, outputs;
    struct om_end *input, *output;
    struct om_gears gears;
};

/* A constant in a separate file. */
struct om_constant {
    const char *path; /* the location's last part, or a whole path */
    bool is_whole;
    uint64_t offset, length;
};

struct om_bytes {
    const uint8_t *at;
    uint64_t size;
};

/* A table of partitions: a separate model. */
enum { OM_PARTITION_TYPES = 27 };
struct om_table {
    size_t count;
    struct {
        uint32_t type;
        struct om_bytes bytes;
    } *partition;
};

struct om_header {
    uint32_t magic, version, model_count;
    uint64_t length;
    uint8_t model_type;
    bool is_wide;    /* 64-bit tables */
    bool is_dynamic; /* a table for each part of the graph, and shapes that are not fixed */
    char platform[21];
};

struct om_file {
    struct om_header header;
    size_t tables;
    struct om_table *table;
};

enum { OM_FLOW_MODEL = 3, OM_BUNDLE = 5 };
enum {
    OM_MODEL_DEF = 0, OM_WEIGHTS = 1, OM_TASKS = 2, OM_INOUT = 8, OM_BUNDLE_MODEL = 24, OM_BUNDLE_VARIABLES = 25,
};

struct om_model {
    struct om_file file;
    struct om_signature signature;
    const char *name, *soc, *compiler; /* soc, compiler: "" when the file does not say */
    int64_t memory_bytes;    /* of the compiled plan, with inputs and outputs */
    int64_t zero_copy_bytes; /* of those, what only inputs and outputs need */
    int64_t p2p_bytes, session_bytes;
    int64_t streams, events;
    bool has_zero_copy, is_compressed;
    uint64_t weight_bytes;
    size_t weight_parts;
    const struct om_bytes *weights;
    size_t constants;
    const struct om_constant *constant;
};

/* The first 256 bytes. */
bool omIsModel(const void *bytes, size_t length);
uint32_t omHeader(const void *bytes, size_t length, struct om_header *header);
/* Header and tables; every partition is inside the file. */
uint32_t omFile(struct om_arena *arena, const void *bytes, size_t length, struct om_file *file);
/* The first partition of that type; empty when there is none. */
struct om_bytes omPartition(const struct om_table *table, uint32_t type);

/* All of a file that is to be loaded. */
uint32_t omModel(struct om_arena *arena, const void *bytes, size_t length, struct om_model *model);
/* The results of aclmdlQuerySize. */
uint32_t omSizes(struct om_arena *arena, const void *bytes, size_t length, uint64_t *work, uint64_t *weights);
/* Inputs and outputs as the file itself lists them; none in files before 2024. */
uint32_t omListed(struct om_arena *arena, const void *bytes, size_t length, struct om_signature *signature);

/* A file of several models. */
struct om_bundle {
    int64_t variable_bytes;
    size_t count;
    const struct om_bytes *model;
};
uint32_t omBundle(struct om_arena *arena, const void *bytes, size_t length, struct om_bundle *bundle);

/* Bits of an element; 0 for a type of no fixed size. */
unsigned omElementBits(int32_t type);
/* Elements times their size; negative with an open dimension. False: beyond 64 bits. */
bool omTensorBytes(int32_t type, const struct om_dims *dims, int64_t *bytes);
/* As they are stored: in NC1HWC0, four dimensions are those of NCHW, with channels by 16, or by 32 of one byte (metadef,
 * graph/utils/tensor_utils.cc, CalcElementCntOfNc1hwc0). */
bool omStoredBytes(int32_t type, int32_t format, const struct om_dims *dims, int64_t *bytes);
/* A format's number, -1 for none; its name, NULL for none. */
int32_t omFormatNumber(const char *name, size_t length);
const char *omFormatName(int32_t format);
int32_t omTypeNumber(const char *name, size_t length);
const char *omTypeName(int32_t type);

#endif
