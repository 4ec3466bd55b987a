//@ flags: -lopapi -lnnopbase
// Mapped memory in all the places where a block may stand: batches, descriptors, a model's work memory, tensors and a workspace.
#include "vm.h"
#include "../models/model.h"
#include "../operators/operators.h"

static void batch(char *to, char *from) {
    void *dsts[] = {to, to + 64}, *srcs[] = {from, from + 64};
    size_t rooms[] = {64, 64}, sizes[] = {64, 64}, starts[] = {0}, fail = 0;
    aclrtMemcpyBatchAttr attr = {.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE}, .srcLoc = {0, ACL_MEM_LOCATION_TYPE_HOST}};
    MUST(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 2, &attr, starts, 1, &fail));
}

static void run_model(char *work, char *weights, float *in, float *out) {
    uint32_t id;
    MUST(aclmdlLoadFromMemWithMem(model, sizeof model - 1, &id, work, 64, weights, 64));
    aclmdlDataset *input = dataset(in, 8), *output = dataset(out, 8);
    MUST(aclmdlExecute(id, input, output));
    forget(input);
    forget(output);
    MUST(aclmdlUnload(id));
}

static void run_operator(float *in, float *out, char *workspace) {
    aclrtStream queue = stream();
    aclTensor *left = matrix(16, 16, in), *right = matrix(16, 16, out), *product = matrix(16, 16, out + 256);
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnMatmulGetWorkspaceSize(left, right, product, 0, &size, &executor));
    MUST(aclnnMatmul(workspace, size, executor, queue));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclDestroyTensor(left));
    MUST(aclDestroyTensor(right));
    MUST(aclDestroyTensor(product));
    MUST(aclrtDestroyStream(queue));
}

int main(void) {
    begin();
    char *range = reserved(4 * PAGE), *host = pinned(128);
    memset(host, 1, 128);
    aclrtDrvMemHandle handles[] = {memory(PAGE), memory(PAGE)};
    map(range + PAGE, PAGE, handles[0]);
    map(range + 2 * PAGE, PAGE, handles[1]);
    char *start = range + PAGE, *across = start + PAGE - 64;
    batch(across, host);
    run_model(across - 64, start, (float *)across, (float *)(across + 64));
    run_operator((float *)start, (float *)(start + PAGE - 1024), start + 65536);
    unmap(range + PAGE, handles[0]);
    unmap(range + 2 * PAGE, handles[1]);
    MUST(aclrtReleaseMemAddress(range));
    MUST(aclrtFreeHost(host));
    end();
    return 0;
}
