//@ env: ACLSIM_QUIET=1 ACLSIM_STREAM_DELAY_US=100000
// Memory given to a bundle: variables and work memory said to be larger than they are; work memory, variables and external weights released before
// a model runs, and work memory while one is queued.
#include "offline.h"

static const struct om_attr external[] = {
    OM_STR("location", "w.bin"), OM_INT("offset", 0), OM_INT("length", 32), {.name = NULL}, {.name = NULL}};

static char *in, *out;

static void run(uint32_t id) {
    aclmdlDataset *input = dataset(in, IN), *output = dataset(out, OUT);
    aclmdlExecute(id, input, output); // fails where memory is gone
    forget(input);
    forget(output);
}

static void bundle(aclrtStream queue) {
    struct bytes file = bundled();
    uint32_t bundle, id;
    char *small = device(VARIABLES / 2), *variables = device(VARIABLES), *half = device(WORK / 2), *work = device(WORK), *weights = device(WEIGHTS);
    MUST(aclmdlBundleInitFromMem(file.data, file.length, small, VARIABLES, &bundle)); // 128 bytes more than there are
    MUST(aclmdlBundleUnload(bundle));
    MUST(aclmdlBundleInitFromMem(file.data, file.length, variables, VARIABLES, &bundle));
    MUST(aclmdlBundleLoadModelWithMem(bundle, 0, half, WORK, weights, WEIGHTS, &id)); // 2048 bytes more than there are
    MUST(aclmdlBundleUnloadModel(bundle, id));
    MUST(aclmdlBundleLoadModelWithMem(bundle, 0, work, WORK, weights, WEIGHTS, &id));
    aclmdlDataset *input = dataset(in, IN), *output = dataset(out, OUT);
    MUST(aclmdlExecuteAsync(id, input, output, queue));
    MUST(aclrtFree(work));
    aclrtSynchronizeStream(queue); // 507015: a kernel stopped
    run(id);
    MUST(aclmdlBundleUnloadModel(bundle, id));
    MUST(aclmdlBundleLoadModel(bundle, 1, &id));
    MUST(aclrtFree(variables));
    run(id);
    MUST(aclmdlBundleUnload(bundle));
    forget(input);
    forget(output);
    MUST(aclrtFree(small));
    MUST(aclrtFree(half));
    MUST(aclrtFree(weights));
    free(file.data);
}

static void externalWeights(void) {
    struct om_plan plan = offlinePlan();
    plan.constants = external;
    struct bytes file = omWrite(&plan);
    uint32_t id;
    char *given = device(32);
    const void *bytes = file.data;
    aclmdlConfigHandle *config = aclmdlCreateConfigHandle();
    MUST(aclmdlSetConfigOpt(config, ACL_MDL_LOAD_TYPE_SIZET, &(size_t){ACL_MDL_LOAD_FROM_MEM}, sizeof(size_t)));
    MUST(aclmdlSetConfigOpt(config, ACL_MDL_MEM_ADDR_PTR, &bytes, sizeof bytes));
    MUST(aclmdlSetConfigOpt(config, ACL_MDL_MEM_SIZET, &file.length, sizeof file.length));
    MUST(aclmdlSetExternalWeightAddress(config, "w.bin", given, 32));
    MUST(aclmdlLoadWithConfig(config, &id));
    MUST(aclmdlDestroyConfigHandle(config));
    MUST(aclrtFree(given));
    run(id);
    MUST(aclmdlUnload(id));
    free(file.data);
}

int main(void) {
    aclrtStream queue;
    begin();
    MUST(aclrtCreateStream(&queue));
    in = device(IN), out = device(OUT);
    MUST(aclrtMemset(in, IN, 0, IN));
    bundle(queue);
    externalWeights();
    MUST(aclrtDestroyStream(queue));
    MUST(aclrtFree(in));
    MUST(aclrtFree(out));
    end();
    return 0;
}
