/* ACLSIM_OM_MODEL: an ONNX file that computes in place of an offline model with the same inputs and outputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/error_codes/ge_error_codes.h"
#include "model.h"

/* NULL, or which end differs. */
static const char *difference(const struct graph *graph, const struct om_signature *signature, size_t *index)
{
    if ((size_t)graph->inputs != signature->inputs || (size_t)graph->outputs != signature->outputs) {
        return "number of inputs and outputs";
    }
    for (*index = 0; *index < signature->inputs; ++*index) {
        const struct view *view = &graphInput(graph, *index)->view;
        if (tensorBytes(view->type, &view->shape) != signature->input[*index].size) {
            return "input";
        }
    }
    for (*index = 0; *index < signature->outputs; ++*index) {
        const struct view *view = &graphOutput(graph, *index)->view;
        if (tensorBytes(view->type, &view->shape) != signature->output[*index].size ||
            (int32_t)view->type != signature->output[*index].type) {
            return "output";
        }
    }
    return NULL;
}

static struct graph *readGraph(const char *path, const struct om_model *read)
{
    size_t length = 0, index = 0;
    void *bytes = modelFile(path, &length);
    struct graph *graph = bytes == NULL ? NULL : graphRead(bytes, length);
    free(bytes);
    if (graph == NULL) {
        fprintf(stderr, "aclsim: ACLSIM_OM_MODEL: `%s` is no ONNX model that the simulator can run; ignored\n", path);
        return NULL;
    }
    const char *differs = difference(graph, &read->signature, &index);
    if (differs != NULL) {
        fprintf(stderr, "aclsim: ACLSIM_OM_MODEL: `%s` differs from model `%s` in %s %zu; ignored\n", path, read->name,
                differs, index);
        graphFree(graph);
        return NULL;
    }
    return graph;
}

aclError offlineSubstitute(struct model *model, const struct om_model *read)
{
    const char *path = getenv("ACLSIM_OM_MODEL");
    struct offline *offline = model->offline;
    struct graph *graph = path == NULL || path[0] == 0 ? NULL : readGraph(path, read);
    bool owns;
    if (graph == NULL) {
        return ACL_SUCCESS;
    }
    offline->substitute = graph;
    aclError code = modelBlock(&offline->substitute_work, graph->work_bytes, &owns);
    if (code == ACL_SUCCESS) {
        code = modelBlock(&offline->substitute_weights, graph->weight_bytes, &owns);
    }
    if (code == ACL_SUCCESS) {
        graphWriteWeights(graph, deviceWindow(offline->substitute_weights, graph->weight_bytes));
    }
    return code;
}
