/* Shared by the reader's own files. */
#ifndef SIMULATOR_OM_READ_H
#define SIMULATOR_OM_READ_H

#include <string.h>

#include "../compute/protobuf.h"
#include "om.h"

/* AscendCL's code for a failed assertion in the graph engine. */
enum { OM_FAILURE = 500002 };

/* Files are little-endian, as are the machines that the simulator runs on; the bytes need no alignment. */
static inline uint32_t omU32(const uint8_t *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static inline uint64_t omU64(const uint8_t *at)
{
    uint64_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

/* Names and strings that attributes are coded with in newer files. */
struct om_dictionary {
    bool is_present;
    size_t names, values;
    const struct message *name, *value;
    const bool *is_string; /* for each name */
};

/* A map from names to AttrDef: field `field` of `owner`. */
struct om_attributes {
    struct message owner;
    uint32_t field;
    const struct om_dictionary *dictionary; /* NULL: names are plain */
};

struct om_value {
    struct message attribute; /* AttrDef */
    const struct om_dictionary *strings; /* not NULL: numbers stand for strings */
};

bool omFind(const struct om_attributes *attributes, const char *name, struct om_value *value);
bool omInteger(const struct om_attributes *attributes, const char *name, int64_t *number);
bool omFlag(const struct om_attributes *attributes, const char *name);
bool omReal(const struct om_attributes *attributes, const char *name, float *number);
/* A string's bytes. */
bool omString(const struct om_attributes *attributes, const char *name, struct message *text);
bool omIs(const struct message *text, const char *expected);
bool omIntegers(struct om_arena *arena, const struct om_attributes *attributes, const char *name, struct om_dims *list);
bool omReals(struct om_arena *arena, const struct om_attributes *attributes, const char *name, size_t *count,
             const float **list);
bool omStrings(struct om_arena *arena, const struct om_attributes *attributes, const char *name, size_t *count,
               const struct message **list);
/* A list of lists; the outer list's length is the count. */
bool omLists(struct om_arena *arena, const struct om_attributes *attributes, const char *name, size_t *count,
             const struct om_dims **list);
/* The attributes inside a NamedAttrs. */
bool omNested(const struct om_attributes *attributes, const char *name, struct om_attributes *nested);
/* The dictionary of a model's own attributes; false when it is damaged. */
bool omDictionary(struct om_arena *arena, const struct om_attributes *model, struct om_dictionary *dictionary);

/* As omFile, of the first table alone. */
uint32_t omFirstTable(struct om_arena *arena, const void *bytes, size_t length, struct om_file *file);

/* Numbers of one field, packed or not. */
struct om_dims omNumbers(struct om_arena *arena, struct message message, uint32_t field);
/* The field's last occurrence; false when there is none. */
bool omField(struct message message, uint32_t field, struct field *found);
struct message omSubmessage(struct message message, uint32_t field);
size_t omCount(struct message message, uint32_t field);

/* Whether bytes are a whole ModelDef or ModelTaskDef, down to its last message. */
bool omIsModelDef(struct message message);
bool omIsTaskDef(struct message message);

/* An operator of the main graph, and a tensor of it. */
struct om_operator {
    struct message message;
    struct message name, type;
    struct om_attributes attributes;
};
struct om_tensor {
    struct om_attributes attributes;
    int32_t type, format;
    struct om_dims dims;
    int64_t size;
};
struct om_operator omOperator(struct message message, const struct om_dictionary *dictionary);
bool omTensor(struct om_arena *arena, const struct om_operator *operator, uint32_t field, size_t index,
              struct om_tensor *tensor);
bool omIsData(const struct om_operator *operator);
/* acl's number for an element type of the format. */
int32_t omTypeOf(uint64_t type);

/* Inputs and outputs of a model whose shapes are fixed, and of one whose are not. */
struct om_graph {
    struct message message;
    const struct om_dictionary *dictionary;
    struct om_attributes model;
    bool is_lenient; /* outputs whose origin is missing are named with `?`, where a loader refuses the model */
};
uint32_t omSignatureOf(struct om_arena *arena, const struct om_graph *graph, bool is_dynamic,
                       struct om_signature *signature);
/* Numbers with something between them. */
struct om_dims omNumbersIn(struct om_arena *arena, const struct message *text);
uint32_t omGears(struct om_arena *arena, const struct om_graph *graph, struct om_gears *gears);
/* The AIPP of one input; `names` has the inputs' names by index. */
uint32_t omAipp(struct om_arena *arena, const struct om_operator *operator, const struct om_names *names,
                struct om_end *end);
uint32_t omConstants(struct om_arena *arena, struct message model, const struct om_dictionary *dictionary,
                     struct om_model *to);

#endif
