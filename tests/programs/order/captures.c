//@ env: ACLSIM_STREAM_DELAY_US=2000
// While one stream is captured, another continues: its work is queued, not captured. A graph's memory goes while the graph runs, or,
// from a pool that it does not allocate from itself, before.
#include "../pools/pool.h"

enum { N = 4096 };

int main(void) {
    begin();
    aclrtStream captured = stream_of_ours(), work = stream_of_ours();
    aclrtMemPool pool = pool_of_ours();
    aclmdlRI graph = NULL;
    char *outside = pooled(N, pool, captured);
    MUST(aclrtSynchronizeStream(captured));
    char *rows = device(N), *kept = device(N);
    MUST(aclmdlRICaptureBegin(captured, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    MUST(aclrtMemsetAsync(kept, N, 1, N, captured));
    MUST(aclrtMemsetAsync(outside, N, 3, N, captured));
    MUST(aclrtMemsetAsync(rows, N, 2, N, work));
    MUST(aclrtFree(rows));
    MUST(aclmdlRICaptureEnd(captured, &graph));
    MUST(aclrtMemPoolFreeAsync(outside, work));
    MUST(aclmdlRIExecuteAsync(graph, work));
    MUST(aclrtFree(kept));
    aclrtSynchronizeDevice(); // the fills have missed their blocks
    MUST(aclmdlRIDestroy(graph));
    MUST(aclrtMemPoolDestroy(pool));
    aclrtDestroyStream(captured);
    aclrtDestroyStream(work);
    end();
    return 0;
}
