/* Loading an offline model: checks, memory, weights. */
#include "offline.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/error_codes/ge_error_codes.h"
#include "entry.h"
#include "model.h"

/* Chips whose code runs on each other, by the beginning of their names; the longest counts. */
static int architecture(const char *soc)
{
    static const struct {
        const char *prefix;
        int number;
    } known[] = {
        {"Ascend910_95", 3510}, {"Ascend950", 3510}, {"Ascend910_93", 2201}, {"Ascend910B", 2201}, {"Ascend310P", 2002},
        {"Ascend310B", 3002},   {"Ascend310", 1001}, {"Ascend910", 1001},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strncmp(soc, known[i].prefix, strlen(known[i].prefix)) == 0) {
            return known[i].number;
        }
    }
    return 0;
}

/* If no chip was chosen, no model is refused: the default profile need not be the program's. */
static bool isForThisChip(const char *soc)
{
    const char *chosen = getenv("ACLSIM_SOC");
    return soc[0] == 0 || chosen == NULL || chosen[0] == 0 || architecture(soc) == architecture(aclrtGetSocName());
}

/* The model's own memory; the graph engine's error if there is none. */
static aclError take(void **address, uint64_t bytes, bool *owns)
{
    return modelBlock(address, bytes, owns) == ACL_SUCCESS ? ACL_SUCCESS : (aclError)ACL_ERROR_GE_MEMORY_ALLOCATION;
}

static aclError addBlock(struct offline *offline, struct offline_block block)
{
    struct offline_block *more = realloc(offline->block, (offline->blocks + 1) * sizeof *more);
    if (more == NULL) {
        return ACL_ERROR_GE_MEMORY_ALLOCATION;
    }
    offline->block = more;
    aclError code = block.address != NULL ? ACL_SUCCESS : take(&block.address, block.bytes, &block.is_own);
    if (code == ACL_SUCCESS) {
        more[offline->blocks++] = block;
    }
    return code;
}

static aclError readPart(const char *path, const struct om_constant *constant, void *address)
{
    FILE *file = fopen(path, "rb");
    void *window = deviceWindow(address, constant->length);
    bool is_read = file != NULL && window != NULL && constant->offset <= LONG_MAX &&
                   fseek(file, (long)constant->offset, SEEK_SET) == 0 &&
                   fread(window, 1, constant->length, file) == constant->length;
    if (file != NULL) {
        fclose(file);
    }
    return is_read ? ACL_SUCCESS : ACL_ERROR_GE_FAILURE;
}

/* The caller's copy of a constant's file, if it has given one. */
static const struct external_weight *given(const struct model_source *source, const char *name)
{
    for (size_t i = 0; i < source->external_count; i++) {
        const char *slash = strrchr(source->externals[i].name, '/');
        if (strcmp(slash == NULL ? source->externals[i].name : slash + 1, name) == 0) {
            return &source->externals[i];
        }
    }
    return NULL;
}

static aclError loadConstant(struct offline *offline, const struct om_constant *constant,
                             const struct model_source *source)
{
    char path[PATH_MAX];
    const char *name = strrchr(constant->path, '/') == NULL ? constant->path : strrchr(constant->path, '/') + 1;
    const struct external_weight *external = given(source, name);
    if (external != NULL) {
        if (constant->offset > external->size || constant->length > external->size - constant->offset) {
            return ACL_ERROR_GE_FAILURE;
        }
        return addBlock(offline, (struct offline_block){(char *)external->address + constant->offset,
                                                        constant->length, false, true});
    }
    const char *slash = source->path == NULL ? NULL : strrchr(source->path, '/');
    int folder = slash == NULL ? 0 : (int)(slash - source->path) + 1;
    int length = constant->is_whole ? snprintf(path, sizeof path, "%s", constant->path)
                 : source->weight_path != NULL && source->weight_path[0] != 0
                     ? snprintf(path, sizeof path, "%s/%s", source->weight_path, name)
                 : source->path == NULL
                     ? snprintf(path, sizeof path, "%s", name)
                     : snprintf(path, sizeof path, "%.*sweight/%s", folder, source->path, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        return ACL_ERROR_GE_FAILURE;
    }
    if (constant->length == 0) {
        return access(path, R_OK) == 0 ? ACL_SUCCESS : ACL_ERROR_GE_FAILURE;
    }
    /* Asked for before the memory, which a size from a damaged file may exceed. */
    if (access(path, R_OK) != 0) {
        return ACL_ERROR_GE_FAILURE;
    }
    aclError code = addBlock(offline, (struct offline_block){NULL, constant->length, true, true});
    return code == ACL_SUCCESS ? readPart(path, constant, offline->block[offline->blocks - 1].address) : code;
}

static aclError loadBlocks(struct offline *offline, const struct om_model *read, const struct model_source *source)
{
    const int64_t special[] = {read->p2p_bytes, read->session_bytes};
    aclError code = ACL_SUCCESS;
    if (read->constants == 0 && source->weight_path != NULL && source->weight_path[0] != 0) {
        return ACL_ERROR_GE_FAILURE; /* a folder of weights for a model that has none outside */
    }
    for (size_t i = 0; i < 2 && code == ACL_SUCCESS; i++) {
        if (special[i] > 0) {
            code = addBlock(offline, (struct offline_block){NULL, (uint64_t)special[i], true, false});
        }
    }
    for (size_t i = 0; i < read->constants && code == ACL_SUCCESS; i++) {
        code = loadConstant(offline, &read->constant[i], source);
    }
    return code;
}

/* Weights first, then work memory, as the graph engine asks for them. */
static aclError takeMemory(struct model *model, const struct om_model *read, const struct model_source *source)
{
    uint64_t total = (uint64_t)read->memory_bytes, least = total - (uint64_t)read->zero_copy_bytes;
    bool is_dynamic = read->file.header.is_dynamic;
    bool is_small = source->weights != NULL && source->weight_size < read->weight_bytes;
    if (is_small && !is_dynamic) {
        return ACL_ERROR_GE_PARAM_INVALID;
    }
    /* A model with open shapes takes memory of its own where the given is too small. */
    model->weights = is_small ? NULL : source->weights;
    model->weight_bytes = read->weight_bytes;
    aclError code = model->weights != NULL || read->weight_bytes == 0
                        ? ACL_SUCCESS
                        : take(&model->weights, read->weight_bytes, &model->owns_weights);
    if (code != ACL_SUCCESS || is_dynamic) {
        return code;
    }
    if (source->work != NULL && source->work_size < least) {
        return ACL_ERROR_GE_PARAM_INVALID;
    }
    model->work = source->work;
    if (source->work != NULL) {
        model->work_bytes = source->work_size < total ? source->work_size : total;
        return ACL_SUCCESS;
    }
    model->work_bytes = source->spares_zero_copy ? least : total;
    return model->work_bytes == 0 ? ACL_SUCCESS : take(&model->work, model->work_bytes, &model->owns_work);
}

static aclError writeWeights(struct model *model, const struct om_model *read)
{
    if (read->weight_bytes == 0) {
        return ACL_SUCCESS;
    }
    unsigned char *window = deviceWindow(model->weights, read->weight_bytes);
    if (window == NULL) {
        return ACL_ERROR_RT_PARAM_INVALID; /* the error of the copy of the weights */
    }
    for (size_t i = 0; i < read->weight_parts; i++) {
        if (read->weights[i].size > 0) {
            memcpy(window, read->weights[i].at, read->weights[i].size);
        }
        window += read->weights[i].size;
    }
    return ACL_SUCCESS;
}

aclError offlineLoad(struct model *model, const struct model_source *source)
{
    struct om_model read;
    aclError code = (aclError)omModel(&model->arena, source->bytes, source->length, &read);
    if (code == ACL_SUCCESS && !isForThisChip(read.soc)) {
        code = ACL_ERROR_GE_FAILURE;
    }
    struct offline *offline = code == ACL_SUCCESS ? calloc(1, sizeof *offline) : NULL;
    if (offline == NULL) {
        return code == ACL_SUCCESS ? (aclError)ACL_ERROR_GE_MEMORY_ALLOCATION : code;
    }
    model->offline = offline;
    model->signature = read.signature;
    offline->is_dynamic = read.file.header.is_dynamic;
    offline->kind = read.signature.gears.kind;
    struct om_bytes definition = omPartition(&read.file.table[0], OM_MODEL_DEF);
    const char *copy = omText(&model->arena, definition.at, definition.size);
    offline->definition = (struct om_bytes){(const uint8_t *)copy, model->arena.is_exhausted ? 0 : definition.size};
    offline->seed = offlineHash(0, read.name, strlen(read.name));
    for (size_t i = 0; i < read.signature.inputs; i++) {
        const struct om_aipp *aipp = read.signature.input[i].aipp;
        offline->has_dynamic_aipp |= aipp != NULL && aipp->has_mode && aipp->mode == ACL_DATA_WITH_DYNAMIC_AIPP;
    }
    code = takeMemory(model, &read, source);
    if (code == ACL_SUCCESS) {
        code = writeWeights(model, &read);
    }
    if (code == ACL_SUCCESS) {
        code = loadBlocks(offline, &read, source);
    }
    if (code == ACL_SUCCESS) {
        code = offlineSubstitute(model, &read);
    }
    if (code == ACL_SUCCESS) {
        offlineReadContents(model);
        offlineSay(&read);
    }
    return code;
}

void offlineFree(struct offline *offline)
{
    if (offline == NULL) {
        return;
    }
    for (size_t i = 0; i < offline->blocks; i++) {
        if (offline->block[i].is_own) {
            (void)rtFree(offline->block[i].address);
        }
    }
    if (offline->substitute != NULL) {
        (void)rtFree(offline->substitute_work);
        (void)rtFree(offline->substitute_weights);
        graphFree(offline->substitute);
    }
    free(offline->block);
    free(offline);
}
