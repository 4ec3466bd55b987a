/* Labels: jump targets in a model built by hand. All its streams are one list of tasks here, and a label is an index in it. */
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "handles.h"

struct label {
    char unused;
};

struct list {
    size_t count;
    aclrtLabel labels[];
};

struct jump {
    void *index;
    size_t count;
    aclrtLabel labels[];
};

aclError rtsLabelCreate(aclrtLabel *out)
{
    struct label *label = calloc(1, sizeof *label);
    if (!label || !handleAdd(HANDLE_LABEL, label)) {
        free(label);
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *out = label;
    return ACL_SUCCESS;
}

aclError rtsLabelDestroy(aclrtLabel label)
{
    if (!handleDrop(HANDLE_LABEL, label)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    free(label);
    return ACL_SUCCESS;
}

/* Models alone have labels: AscendCL API reference, aclrtSetLabel. */
static aclError put(aclrtStream handle, aclError (*run)(void *), void (*drop)(void *), void *argument)
{
    struct stream *stream;
    aclError code = streamOf(handle, &stream);
    code = code == ACL_SUCCESS && !stream->model ? ACL_ERROR_RT_PARAM_INVALID : code;
    return code == ACL_SUCCESS ? captureTask(stream, run, drop, argument) : code;
}

static aclError runLabel(void *label)
{
    (void)label;
    return ACL_SUCCESS;
}

aclError rtsLabelSet(aclrtLabel label, aclrtStream stream)
{
    return handleAlive(HANDLE_LABEL, label) ? put(stream, runLabel, NULL, label) : ACL_ERROR_RT_PARAM_INVALID;
}

aclError rtsLabelSwitchListCreate(aclrtLabel *labels, size_t count, aclrtLabelList *out)
{
    struct list *list = count > 0 && count <= UINT16_MAX ? calloc(1, sizeof *list + count * sizeof *labels) : NULL;
    if (!list || !handleAdd(HANDLE_LABEL_LIST, list)) {
        free(list);
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    list->count = count;
    memcpy(list->labels, labels, count * sizeof *labels);
    *out = list;
    return ACL_SUCCESS;
}

aclError rtsLabelSwitchListDestroy(aclrtLabelList list)
{
    if (!handleDrop(HANDLE_LABEL_LIST, list)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    free(list);
    return ACL_SUCCESS;
}

static aclError runJump(void *argument)
{
    struct jump *jump = argument;
    uint32_t index;
    uint64_t reach;
    const void *from = aclsimView(jump->index, sizeof index, &reach);
    if (reach != sizeof index) {
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    }
    memcpy(&index, from, sizeof index);
    graphJump(jump->labels[index < jump->count ? index : jump->count - 1]);
    return ACL_SUCCESS;
}

aclError rtsLabelSwitchByIndex(void *index, uint32_t count, aclrtLabelList handle, aclrtStream stream)
{
    const struct list *list = handle;
    if (!handleAlive(HANDLE_LABEL_LIST, list) || count == 0 || count > list->count) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    struct jump *jump = malloc(sizeof *jump + count * sizeof *jump->labels);
    if (!jump) {
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    }
    *jump = (struct jump){index, count};
    memcpy(jump->labels, list->labels, count * sizeof *jump->labels);
    aclError code = put(stream, runJump, free, jump);
    if (code != ACL_SUCCESS) {
        free(jump);
    }
    return code;
}
