/* A whole file, as loading reads it. */
#include "acl/error_codes/ge_error_codes.h"
#include "read.h"

enum { HEADER = 256, NAME = 1, GRAPHS = 7, ATTRIBUTES = 11, WORK_SIZE = 11, HIGH_BANDWIDTH = 2 };

static const char *text(struct om_arena *arena, const struct om_attributes *attributes, const char *name)
{
    struct message found;
    return omString(attributes, name, &found) ? omText(arena, found.at, messageLength(&found)) : "";
}

/* The parts of the work memory, of which the last belongs to inputs and outputs, are all of it. */
static bool isSum(struct om_arena *arena, const struct om_attributes *attributes, const struct om_model *model)
{
    const struct om_dims *list;
    size_t count;
    int64_t sum = 0;
    if (!omLists(arena, attributes, "sub_memory_info", &count, &list) || count == 0) {
        return true;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        if (list[i].count < 3 || list[i].at[0] != HIGH_BANDWIDTH || __builtin_add_overflow(sum, list[i].at[2], &sum)) {
            return false;
        }
    }
    return sum == model->memory_bytes - model->zero_copy_bytes;
}

static bool readMemory(struct om_arena *arena, const struct om_attributes *attributes, struct om_model *model)
{
    (void)omInteger(attributes, "memory_size", &model->memory_bytes);
    model->has_zero_copy = omInteger(attributes, "zero_copy_memory_size", &model->zero_copy_bytes);
    (void)omInteger(attributes, "p2p_memory_size", &model->p2p_bytes);
    (void)omInteger(attributes, "session_scope_memory_size", &model->session_bytes);
    (void)omInteger(attributes, "stream_num", &model->streams);
    (void)omInteger(attributes, "event_num", &model->events);
    bool is_sane = model->memory_bytes >= 0 && model->zero_copy_bytes >= 0 && model->p2p_bytes >= 0 &&
                   model->session_bytes >= 0 && model->zero_copy_bytes <= model->memory_bytes;
    return is_sane && isSum(arena, attributes, model);
}

static uint32_t readFirst(struct om_arena *arena, struct message definition, struct om_dictionary *dictionary,
                          struct om_model *model)
{
    struct om_attributes attributes = {definition, ATTRIBUTES, NULL};
    struct message graphs = definition, name = omSubmessage(definition, NAME);
    struct field field = {0};
    if (!omDictionary(arena, &attributes, dictionary)) {
        return OM_FAILURE;
    }
    while (field.number != GRAPHS) {
        if (!messageNext(&graphs, &field)) {
            return OM_FAILURE;
        }
    }
    model->name = omText(arena, name.at, messageLength(&name));
    model->soc = text(arena, &attributes, "soc_version");
    model->compiler = text(arena, &attributes, "atc_version");
    model->is_compressed = dictionary->is_present;
    struct om_graph graph = {field.bytes, dictionary, attributes, false};
    if (!readMemory(arena, &attributes, model)) {
        return OM_FAILURE;
    }
    return omSignatureOf(arena, &graph, model->file.header.is_dynamic, &model->signature);
}

uint32_t omModel(struct om_arena *arena, const void *bytes, size_t length, struct om_model *model)
{
    struct om_dictionary dictionary;
    struct om_header header;
    *model = (struct om_model){.name = "", .soc = "", .compiler = ""};
    uint32_t code = omHeader(bytes, length, &header);
    /* Before length and magic are looked at, and only by a loader of one model. */
    if (length >= HEADER && header.model_type == OM_BUNDLE) {
        return OM_FAILURE;
    }
    if (code != 0 || (code = omFile(arena, bytes, length, &model->file)) != 0) {
        return code;
    }
    struct om_bytes *weights = omTake(arena, model->file.tables, sizeof *weights);
    if (weights == NULL) {
        return ACL_ERROR_GE_MEMORY_ALLOCATION;
    }
    model->weights = weights;
    for (size_t i = 0; i < model->file.tables && code == 0; i++) {
        const struct om_table *table = &model->file.table[i];
        struct om_bytes part = omPartition(table, OM_MODEL_DEF), tasks = omPartition(table, OM_TASKS);
        struct message definition = messageOf(part.at, part.size);
        if (part.size == 0 || !omIsModelDef(definition) || !omIsTaskDef(messageOf(tasks.at, tasks.size))) {
            return OM_FAILURE;
        }
        code = i == 0 ? readFirst(arena, definition, &dictionary, model) : 0;
        if (code == 0) {
            code = omConstants(arena, definition, &dictionary, model);
        }
        weights[model->weight_parts++] = omPartition(table, OM_WEIGHTS);
        model->weight_bytes += weights[i].size;
    }
    return code == 0 && arena->is_exhausted ? ACL_ERROR_GE_MEMORY_ALLOCATION : code;
}

uint32_t omSizes(struct om_arena *arena, const void *bytes, size_t length, uint64_t *work, uint64_t *weights)
{
    struct om_file file;
    struct om_header header;
    struct field field;
    if (omHeader(bytes, length, &header) != 0) {
        return ACL_ERROR_GE_PARAM_INVALID;
    }
    uint32_t code = omFile(arena, bytes, length, &file);
    if (code != 0) {
        return code;
    }
    if (!header.is_dynamic && file.table[0].count == 1) {
        return ACL_ERROR_GE_PARAM_INVALID;
    }
    *work = *weights = 0;
    for (size_t i = 0; i < file.tables; i++) {
        *weights += omPartition(&file.table[i], OM_WEIGHTS).size;
    }
    if (!header.is_dynamic) {
        struct om_bytes tasks = omPartition(&file.table[0], OM_TASKS);
        struct message message = messageOf(tasks.at, tasks.size);
        if (!omIsTaskDef(message)) {
            return ACL_ERROR_GE_EXEC_LOAD_TASK_PARTITION_FAILED;
        }
        *work = omField(message, WORK_SIZE, &field) ? field.value : 0;
    }
    return 0;
}
