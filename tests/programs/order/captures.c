//@ env: ACLSIM_STREAM_DELAY_US=2000
// While one stream is captured another goes on: its work is queued, not noted. And a graph's memory goes while the graph runs.
#include "order.h"

int main(void) {
    begin();
    aclrtStream captured = stream(), work = stream();
    aclmdlRI graph = NULL;
    char *rows = device(N), *kept = device(N);
    MUST(aclmdlRICaptureBegin(captured, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    MUST(aclrtMemsetAsync(kept, N, 1, N, captured));
    MUST(aclrtMemsetAsync(rows, N, 2, N, work));
    MUST(aclrtFree(rows));
    MUST(aclmdlRICaptureEnd(captured, &graph));
    MUST(aclmdlRIExecuteAsync(graph, work));
    MUST(aclrtFree(kept));
    aclrtSynchronizeDevice(); // the fills have missed their blocks
    MUST(aclmdlRIDestroy(graph));
    aclrtDestroyStream(captured);
    aclrtDestroyStream(work);
    end();
    return 0;
}
