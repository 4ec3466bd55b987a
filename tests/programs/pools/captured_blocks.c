// Blocks of a pool and the graphs that were captured when they were given out. At the end one graph is left, and names one live block of 3
// MiB: that takes 2 pages of 2 MiB, and a plain one of 1000 bytes, also live, a third. The other graph is destroyed, and its block released.
#include "pool.h"

static aclmdlRI capture(aclrtStream stream, aclrtMemPool pool, size_t size, char **block) {
    aclmdlRI graph = NULL;
    MUST(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    *block = pooled(size, pool, stream);
    MUST(aclrtMemsetAsync(*block, size, 1, size, stream));
    MUST(aclmdlRICaptureEnd(stream, &graph));
    MUST(aclmdlRIExecuteAsync(graph, stream));
    MUST(aclrtSynchronizeStream(stream));
    return graph;
}

int main(void) {
    begin();
    aclrtStream stream = stream_of_ours();
    aclrtMemPool pool = pool_of_ours();
    char *left, *gone;
    (void)capture(stream, pool, 3 << 20, &left);
    MUST(aclmdlRIDestroy(capture(stream, pool, 1 << 20, &gone)));
    MUST(aclrtMemPoolFreeAsync(gone, stream));
    (void)pooled(1000, pool, stream);
    MUST(aclrtSynchronizeStream(stream));
    end();
    return 0;
}
