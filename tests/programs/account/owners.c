//@ flags: -lnnopbase
// Plants an owner each: a pool with categories, a graph, a model, blocks of the program, page-locked memory, tensors that nobody destroys.
#include "../models/model.h"
#include "aclnn/acl_meta.h"
#include "aclsan.h"

#define MIB ((size_t)1 << 20)

static void *capture(aclrtStream stream) {
    aclmdlRI graph;
    MUST(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    void *block = device(6 * MIB);
    MUST(aclrtMemsetAsync(block, MIB, 0, MIB, stream));
    MUST(aclmdlRICaptureEnd(stream, &graph));
    return block;
}

static void describe(void *data) {
    int64_t shape[] = {16};
    for (int i = 0; i < 100; i++) aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, data);
}

int main(void) {
    aclrtStream stream;
    begin();
    MUST(aclrtCreateStream(&stream));
    char *weights = device(64 * MIB);
    char *segment = device(256 * MIB);
    uint64_t pool = aclsan_pool_create("kv", segment, 256 * MIB);
    aclsan_category_push("kv_cache");
    aclsan_pool_alloc(pool, segment, 128 * MIB);
    aclsan_category_pop();
    aclsan_pool_alloc(pool, segment + 128 * MIB, 32 * MIB);
    aclsan_epoch("ready");
    char *scratch = device(10 * MIB);
    void *captured = capture(stream);
    char *work = device(12 * MIB), *constants = device(4 * MIB);
    uint32_t id;
    MUST(aclmdlLoadFromMemWithMem(model, sizeof model - 1, &id, work, 12 * MIB, constants, 4 * MIB));
    char *staging = pinned(16 * MIB);
    describe(weights);
    aclsan_snapshot("full");
    MUST(aclmdlUnload(id));
    MUST(aclrtFree(work));
    MUST(aclrtFree(constants));
    MUST(aclrtFree(scratch));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtFree(captured));
    aclsan_pool_destroy(pool);
    MUST(aclrtFree(segment));
    MUST(aclrtFree(weights));
    MUST(aclrtFreeHost(staging));
    MUST(aclrtDestroyStream(stream));
    end();
}
