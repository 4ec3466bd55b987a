//@ env: ACLSIM_STREAM_DELAY_US=500
// Captured work, including pool memory, is not queued; concurrent work of another stream is waited for, and so is the graph.
#include "../pools/pool.h"

int main(void) {
    begin();
    aclrtStream captured = stream_of_ours(), work = stream_of_ours();
    aclrtMemPool pool = pool_of_ours();
    aclmdlRI graph = NULL, own = NULL;
    char *rows = device(4096), *kept = device(4096);
    MUST(aclmdlRICaptureBegin(captured, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    MUST(aclrtMemsetAsync(kept, 4096, 1, 4096, captured));
    MUST(aclrtMemsetAsync(rows, 4096, 2, 4096, work));
    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtFree(rows));
    MUST(aclmdlRICaptureEnd(captured, &graph));
    MUST(aclrtMemsetAsync(kept, 4096, 3, 4096, work)); // the graph has not run
    MUST(aclmdlRIExecuteAsync(graph, work));
    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtFree(kept));

    // The graph owns what it allocates, and gives it back itself.
    MUST(aclmdlRICaptureBegin(captured, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    char *inside = pooled(4096, pool, captured);
    MUST(aclrtMemsetAsync(inside, 4096, 4, 4096, captured));
    MUST(aclrtMemPoolFreeAsync(inside, captured));
    MUST(aclmdlRICaptureEnd(captured, &own));
    MUST(aclmdlRIExecuteAsync(own, work));
    MUST(aclrtSynchronizeDevice());
    MUST(aclmdlRIDestroy(own));
    MUST(aclmdlRIDestroy(graph));
    MUST(aclrtMemPoolDestroy(pool));
    MUST(aclrtDestroyStream(captured));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
