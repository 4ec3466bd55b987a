// The same as launcher_workspace.c, fixed.
// https://github.com/tile-ai/tilelang-mlir-ascend/pull/24 and pull/26: the generated launcher allocates a workspace for each launch,
// and frees it when the kernel has run.
#include "../order/order.h"

static void launch(aclrtStream queue) {
    char *workspace = device(32768);
    MUST(aclrtMemsetAsync(workspace, 32768, 0, 32768, queue));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtFree(workspace));
}

int main(void) {
    begin();
    aclrtStream queue = stream();
    for (int step = 0; step < 3; step++) launch(queue);
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
