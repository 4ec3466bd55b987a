// A model in every form: with its own, given, and configured memory; work memory released after the unloading, after the wait
// for a queued run, and shared by two models on one stream.
#include "model.h"

static aclrtStream queue;

static void run(uint32_t id, float *in, float *out, int how) {
    float values[] = {-1, 2};
    MUST(aclrtMemcpy(in, 8, values, 8, ACL_MEMCPY_HOST_TO_DEVICE));
    aclmdlDataset *input = dataset(in, 8), *output = dataset(out, 8);
    aclmdlExecConfigHandle *handle = aclmdlCreateExecConfigHandle();
    MUST(how == 0   ? aclmdlExecute(id, input, output)
         : how == 1 ? aclmdlExecuteAsync(id, input, output, queue)
         : how == 2 ? aclmdlExecuteV2(id, input, output, queue, handle)
                    : aclmdlExecuteAsyncV2(id, input, output, queue, handle));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtMemcpy(values, 8, out, 8, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("%g %g\n", values[0], values[1]);
    MUST(aclmdlDestroyExecConfigHandle(handle));
    forget(input);
    forget(output);
    MUST(aclmdlUnload(id));
}

static void configure(aclmdlConfigHandle *config, aclmdlConfigAttr setting, uint64_t value) {
    MUST(aclmdlSetConfigOpt(config, setting, &value, sizeof value));
}

static void share(char *in, char *out) {
    char *work = device(64), *weights = device(64);
    uint32_t first, second;
    MUST(aclmdlLoadFromMemWithMem(model, sizeof model - 1, &first, work, 64, weights, 64));
    MUST(aclmdlLoadFromMemWithMem(model, sizeof model - 1, &second, work, 64, weights, 64));
    aclmdlDataset *input = dataset(in, 8), *output = dataset(out, 8);
    MUST(aclmdlExecuteAsync(first, input, output, queue));
    MUST(aclmdlExecuteAsync(second, output, input, queue));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtFree(work));
    MUST(aclmdlUnload(first));
    MUST(aclmdlUnload(second));
    MUST(aclrtFree(weights));
    forget(input);
    forget(output);
}

int main(void) {
    begin();
    MUST(aclrtCreateStream(&queue));
    float *in = (float *)device(8), *out = (float *)device(8);
    char *work = device(64), *weights = device(64);
    uint32_t id;
    MUST(aclmdlLoadFromMem(model, sizeof model - 1, &id));
    run(id, in, out, 0);
    for (int how = 1; how < 3; how++) {
        MUST(aclmdlLoadFromMemWithMem(model, sizeof model - 1, &id, work, 64, weights, 64));
        run(id, in, out, how);
    }
    aclmdlConfigHandle *config = aclmdlCreateConfigHandle();
    configure(config, ACL_MDL_LOAD_TYPE_SIZET, ACL_MDL_LOAD_FROM_MEM_WITH_MEM);
    configure(config, ACL_MDL_MEM_ADDR_PTR, (uint64_t)model);
    configure(config, ACL_MDL_MEM_SIZET, sizeof model - 1);
    configure(config, ACL_MDL_WORKSPACE_ADDR_PTR, (uint64_t)work);
    configure(config, ACL_MDL_WORKSPACE_SIZET, 64);
    configure(config, ACL_MDL_WEIGHT_ADDR_PTR, (uint64_t)weights);
    configure(config, ACL_MDL_WEIGHT_SIZET, 64);
    MUST(aclmdlLoadWithConfig(config, &id));
    run(id, in, out, 3);
    MUST(aclmdlDestroyConfigHandle(config));
    MUST(aclrtFree(work));
    MUST(aclrtFree(weights));
    // The next configuration may have the first one's address, and nothing of its memory.
    config = aclmdlCreateConfigHandle();
    configure(config, ACL_MDL_LOAD_TYPE_SIZET, ACL_MDL_LOAD_FROM_MEM);
    configure(config, ACL_MDL_MEM_ADDR_PTR, (uint64_t)model);
    configure(config, ACL_MDL_MEM_SIZET, sizeof model - 1);
    MUST(aclmdlLoadWithConfig(config, &id));
    run(id, in, out, 0);
    MUST(aclmdlDestroyConfigHandle(config));
    MUST(aclmdlLoadFromMem(model, sizeof model - 1, &id));
    run(id, in, out, 0);
    share((char *)in, (char *)out);
    MUST(aclrtFree(in));
    MUST(aclrtFree(out));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
