//@ env: ACLSIM_QUIET=1
// A bundle in every form: loaded whole, model by model with its own, given and configured memory; memory released after the model or the bundle is
// unloaded; external weights released after theirs.
#include "offline.h"

static const struct om_attr external[] = {
    OM_STR("location", "w.bin"), OM_INT("offset", 0), OM_INT("length", 32), {.name = NULL}, {.name = NULL}};

static char *in, *out;
static aclrtStream queue;

static void run(uint32_t id) {
    aclmdlDataset *input = dataset(in, IN), *output = dataset(out, OUT);
    MUST(aclmdlExecuteAsync(id, input, output, queue));
    MUST(aclrtSynchronizeStream(queue));
    forget(input);
    forget(output);
}

static aclmdlConfigHandle *configured(const struct bytes *file) {
    const void *bytes = file->data;
    aclmdlConfigHandle *config = aclmdlCreateConfigHandle();
    MUST(aclmdlSetConfigOpt(config, ACL_MDL_LOAD_TYPE_SIZET, &(size_t){ACL_MDL_LOAD_FROM_MEM}, sizeof(size_t)));
    MUST(aclmdlSetConfigOpt(config, ACL_MDL_MEM_ADDR_PTR, &bytes, sizeof bytes));
    MUST(aclmdlSetConfigOpt(config, ACL_MDL_MEM_SIZET, &file->length, sizeof file->length));
    return config;
}

static void bundle(const struct bytes *file) {
    uint32_t bundle, id, other;
    MUST(aclmdlBundleLoadFromMem(file->data, file->length, &bundle));
    MUST(aclmdlBundleGetModelId(bundle, 1, &id));
    run(id);
    MUST(aclmdlBundleUnload(bundle));
    char *variables = device(VARIABLES), *work = device(WORK), *weights = device(WEIGHTS);
    MUST(aclmdlBundleInitFromMem(file->data, file->length, variables, VARIABLES, &bundle));
    MUST(aclmdlBundleLoadModelWithMem(bundle, 0, work, WORK, weights, WEIGHTS, &id));
    MUST(aclmdlBundleLoadModel(bundle, 1, &other));
    run(id);
    run(other);
    MUST(aclmdlBundleUnloadModel(bundle, id));
    MUST(aclrtFree(work));
    run(other);
    work = device(WORK);
    aclmdlConfigHandle *config = configured(file);
    MUST(aclmdlSetConfigOpt(config, ACL_MDL_WORKSPACE_ADDR_PTR, &work, sizeof work));
    MUST(aclmdlSetConfigOpt(config, ACL_MDL_WORKSPACE_SIZET, &(size_t){WORK}, sizeof(size_t)));
    MUST(aclmdlBundleLoadModelWithConfig(bundle, 0, config, &id));
    MUST(aclmdlDestroyConfigHandle(config));
    run(id);
    MUST(aclmdlBundleUnload(bundle));
    MUST(aclrtFree(work));
    MUST(aclrtFree(weights));
    MUST(aclrtFree(variables));
    // The next models may have the numbers of those, and have nothing of their memory.
    MUST(aclmdlBundleInitFromMem(file->data, file->length, NULL, 0, &bundle));
    MUST(aclmdlBundleLoadModel(bundle, 0, &id));
    run(id);
    MUST(aclmdlBundleUnload(bundle));
}

static void externalWeights(void) {
    struct om_plan plan = offlinePlan();
    plan.constants = external;
    struct bytes file = omWrite(&plan);
    uint32_t id;
    char *given = device(32);
    aclmdlConfigHandle *config = configured(&file);
    MUST(aclmdlSetExternalWeightAddress(config, "w.bin", given, 32));
    MUST(aclmdlLoadWithConfig(config, &id));
    MUST(aclmdlDestroyConfigHandle(config));
    run(id);
    MUST(aclmdlUnload(id));
    MUST(aclrtFree(given));
    free(file.data);
}

int main(void) {
    begin();
    MUST(aclrtCreateStream(&queue));
    in = device(IN), out = device(OUT);
    MUST(aclrtMemset(in, IN, 0, IN));
    struct bytes file = bundled();
    bundle(&file);
    externalWeights();
    MUST(aclrtDestroyStream(queue));
    MUST(aclrtFree(in));
    MUST(aclrtFree(out));
    end();
    free(file.data);
    return 0;
}
