//@ flags: -lopapi -lnnopbase
//@ env: ACLSIM_STREAM_DELAY_US=2000
// The same as queued_workspace.c, fixed.
// https://github.com/vllm-project/vllm-ascend/issues/13761 and pull/16496: the workspace stays its own until the command has run.
#include "task_queue.h"

enum { SIZE = 32 };

static char *arena; // the caching allocator's one block, of which pieces are given out
static int is_taken;

static char *take(void) {
    char *piece = is_taken ? arena + (1 << 20) : arena;
    is_taken = 1;
    return piece;
}

static void give(const char *piece) {
    if (piece == arena) is_taken = 0;
}

int main(void) {
    begin();
    pthread_t thread = queue_begin();
    aclrtStream compute = stream(), copies = stream();
    float *a = floats(SIZE * SIZE), *b = floats(SIZE * SIZE);
    char *staging = pinned(1 << 20);
    arena = device(2 << 20);
    aclTensor *in = matrix(SIZE, SIZE, a), *out = matrix(SIZE, SIZE, b);
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnMatmulGetWorkspaceSize(in, in, out, 0, &size, &executor));
    char *workspace = take();
    queue_put((struct task){compute, executor, workspace, size});
    char *batch = take();
    sem_wait(&done); // the queue has made its call, and no more
    MUST(aclrtMemcpyAsync(batch, 4096, staging, 4096, ACL_MEMCPY_HOST_TO_DEVICE, copies));
    give(workspace);
    aclrtSynchronizeDevice();
    queue_end(thread);
    MUST(aclDestroyTensor(in));
    MUST(aclDestroyTensor(out));
    void *blocks[] = {a, b, arena};
    for (int i = 0; i < 3; i++) MUST(aclrtFree(blocks[i]));
    MUST(aclrtFreeHost(staging));
    MUST(aclrtDestroyStream(compute));
    MUST(aclrtDestroyStream(copies));
    end();
    return 0;
}
