/* Bundles: several models in one file, loaded together or one by one, with variables that they share. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/error_codes/ge_error_codes.h"
#include "entry.h"
#include "model_config.h"

enum { BUNDLES = 64, FIRST_ID = 0x10000 };

struct bundle {
    struct om_arena arena;
    struct om_bundle read;
    void *copy; /* of a file's bytes; the caller's memory otherwise */
    char *path;
    void *variables; /* of our own; NULL: the caller's, or none */
    bool loads_all;
    size_t loaded;
    uint32_t *ids;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct bundle *bundles[BUNDLES];

static struct bundle *find(uint32_t id)
{
    return id >= FIRST_ID && id < FIRST_ID + BUNDLES ? bundles[id - FIRST_ID] : NULL;
}

static aclError end(struct bundle *bundle)
{
    aclError status = ACL_SUCCESS;
    for (size_t i = 0; i < bundle->loaded; i++) {
        aclError code = modelUnload(bundle->ids[i], true);
        status = code == ACL_SUCCESS ? status : code;
    }
    if (bundle->variables != NULL) {
        (void)rtFree(bundle->variables);
    }
    omFree(&bundle->arena);
    free(bundle->copy);
    free(bundle->path);
    free(bundle->ids);
    free(bundle);
    return status;
}

static aclError loadPart(struct bundle *bundle, size_t index, struct model_source source, uint32_t *id)
{
    if (index >= bundle->read.count) {
        return ACL_ERROR_INVALID_PARAM;
    }
    uint32_t *more = realloc(bundle->ids, (bundle->loaded + 1) * sizeof *more);
    if (more == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    bundle->ids = more;
    source.bytes = bundle->read.model[index].at;
    source.length = bundle->read.model[index].size;
    source.path = bundle->path;
    source.is_bundled = true;
    aclError status = modelLoad(&source, id);
    if (status == ACL_SUCCESS) {
        bundle->ids[bundle->loaded++] = *id;
    }
    return status;
}

static aclError enter(struct bundle *bundle, uint32_t *id)
{
    for (uint32_t i = 0; i < BUNDLES; i++) {
        if (bundles[i] == NULL) {
            bundles[i] = bundle;
            *id = FIRST_ID + i;
            return ACL_SUCCESS;
        }
    }
    return ACL_ERROR_GE_LOAD_MODEL;
}

/* `bytes` becomes the bundle's when there is a path. */
static aclError begin(const void *bytes, size_t length, const char *path, void *variables, size_t variable_size,
                      bool loads_all, uint32_t *id)
{
    struct bundle *bundle = calloc(1, sizeof *bundle);
    if (bundle == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    bundle->copy = path == NULL ? NULL : (void *)bytes;
    bundle->path = path == NULL ? NULL : strdup(path);
    bundle->loads_all = loads_all;
    aclError status = (aclError)omBundle(&bundle->arena, bytes, length, &bundle->read);
    uint64_t needed = bundle->read.variable_bytes > 0 ? (uint64_t)bundle->read.variable_bytes : 0;
    if (status == ACL_SUCCESS && variables != NULL && variable_size < needed) {
        status = ACL_ERROR_INVALID_PARAM;
    }
    if (status == ACL_SUCCESS && variables == NULL && needed > 0) {
        bool owns;
        status = modelBlock(&bundle->variables, needed, &owns);
    }
    for (size_t i = 0; status == ACL_SUCCESS && loads_all && i < bundle->read.count; i++) {
        uint32_t part;
        status = loadPart(bundle, i, (struct model_source){0}, &part);
    }
    pthread_mutex_lock(&lock);
    if (status == ACL_SUCCESS) {
        status = enter(bundle, id);
    }
    pthread_mutex_unlock(&lock);
    if (status != ACL_SUCCESS) {
        (void)end(bundle);
    }
    return status;
}

static aclError beginFile(const char *path, void *variables, size_t variable_size, bool loads_all, uint32_t *id)
{
    size_t length = 0;
    void *bytes = modelFile(path, &length);
    return bytes == NULL ? (aclError)ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID
                         : begin(bytes, length, path, variables, variable_size, loads_all, id);
}

aclError aclmdlBundleLoadFromFile(const char *modelPath, uint32_t *bundleId)
{
    ENTER();
    REQUIRE(modelPath != NULL && bundleId != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(beginFile(modelPath, NULL, 0, true, bundleId));
}

aclError aclmdlBundleLoadFromMem(const void *model, size_t modelSize, uint32_t *bundleId)
{
    ENTER();
    REQUIRE(model != NULL && modelSize > 0 && bundleId != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(begin(model, modelSize, NULL, NULL, 0, true, bundleId));
}

aclError aclmdlBundleInitFromFile(const char *modelPath, void *varWeightPtr, size_t varWeightSize, uint32_t *bundleId)
{
    ENTER();
    REQUIRE(modelPath != NULL && bundleId != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(beginFile(modelPath, varWeightPtr, varWeightSize, false, bundleId));
}

aclError aclmdlBundleInitFromMem(const void *model, size_t modelSize, void *varWeightPtr, size_t varWeightSize,
                                 uint32_t *bundleId)
{
    ENTER();
    REQUIRE(model != NULL && bundleId != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(begin(model, modelSize, NULL, varWeightPtr, varWeightSize, false, bundleId));
}

aclError aclmdlBundleUnload(uint32_t bundleId)
{
    ENTER();
    pthread_mutex_lock(&lock);
    struct bundle *bundle = find(bundleId);
    if (bundle != NULL) {
        bundles[bundleId - FIRST_ID] = NULL;
    }
    pthread_mutex_unlock(&lock);
    REQUIRE(bundle != NULL, ACL_ERROR_INVALID_BUNDLE_MODEL_ID);
    ANSWER(end(bundle));
}

aclError aclmdlBundleGetModelNum(uint32_t bundleId, size_t *modelNum)
{
    ENTER();
    REQUIRE(modelNum != NULL, ACL_ERROR_INVALID_PARAM);
    pthread_mutex_lock(&lock);
    const struct bundle *bundle = find(bundleId);
    if (bundle != NULL) {
        *modelNum = bundle->read.count;
    }
    pthread_mutex_unlock(&lock);
    ANSWER(bundle != NULL ? ACL_SUCCESS : ACL_ERROR_INVALID_BUNDLE_MODEL_ID);
}

aclError aclmdlBundleGetModelId(uint32_t bundleId, size_t index, uint32_t *modelId)
{
    ENTER();
    REQUIRE(modelId != NULL, ACL_ERROR_INVALID_PARAM);
    pthread_mutex_lock(&lock);
    const struct bundle *bundle = find(bundleId);
    aclError status = bundle == NULL            ? ACL_ERROR_INVALID_BUNDLE_MODEL_ID
                      : !bundle->loads_all      ? ACL_ERROR_API_NOT_SUPPORT
                      : index >= bundle->loaded ? ACL_ERROR_INVALID_PARAM
                                                : ACL_SUCCESS;
    if (status == ACL_SUCCESS) {
        *modelId = bundle->ids[index];
    }
    pthread_mutex_unlock(&lock);
    ANSWER(status);
}

static aclError load(uint32_t id, size_t index, struct model_source source, uint32_t *model)
{
    pthread_mutex_lock(&lock);
    struct bundle *bundle = find(id);
    aclError status = bundle == NULL ? ACL_ERROR_INVALID_BUNDLE_MODEL_ID : loadPart(bundle, index, source, model);
    pthread_mutex_unlock(&lock);
    return status;
}

aclError aclmdlBundleLoadModel(uint32_t bundleId, size_t index, uint32_t *modelId)
{
    ENTER();
    REQUIRE(modelId != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(load(bundleId, index, (struct model_source){0}, modelId));
}

aclError aclmdlBundleLoadModelWithMem(uint32_t bundleId, size_t index, void *workPtr, size_t workSize, void *weightPtr,
                                      size_t weightSize, uint32_t *modelId)
{
    ENTER();
    REQUIRE(modelId != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(load(bundleId, index, (struct model_source){.work = workPtr, .work_size = workSize, .weights = weightPtr,
                                                       .weight_size = weightSize}, modelId));
}

aclError aclmdlBundleLoadModelWithConfig(uint32_t bundleId, size_t index, aclmdlConfigHandle *handle, uint32_t *modelId)
{
    ENTER();
    REQUIRE(handle != NULL && modelId != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(load(bundleId, index, configSource(handle), modelId));
}

aclError aclmdlBundleUnloadModel(uint32_t bundleId, uint32_t modelId)
{
    ENTER();
    pthread_mutex_lock(&lock);
    struct bundle *bundle = find(bundleId);
    size_t place = 0;
    while (bundle != NULL && place < bundle->loaded && bundle->ids[place] != modelId) {
        place++;
    }
    aclError status = bundle == NULL            ? ACL_ERROR_INVALID_BUNDLE_MODEL_ID
                      : place == bundle->loaded ? ACL_ERROR_INVALID_PARAM
                                                : modelUnload(modelId, true);
    if (status == ACL_SUCCESS) {
        memmove(&bundle->ids[place], &bundle->ids[place + 1], (--bundle->loaded - place) * sizeof *bundle->ids);
    }
    pthread_mutex_unlock(&lock);
    ANSWER(status);
}
