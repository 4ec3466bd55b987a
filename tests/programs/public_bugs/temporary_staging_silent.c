//@ env: ACLSIM_STREAM_DELAY_US=2000
// The same as temporary_staging.c, fixed.
// https://github.com/vllm-project/vllm-ascend/pull/15746 and pull/15719: indices are pinned, sent with `non_blocking=True` and forgotten;
// they are kept until the step is over.
#include "../order/order.h"

static void send(char *to, int round, aclrtStream queue, char **kept) {
    char *pinned_indices = pinned(N);
    memset(pinned_indices, round, N);
    MUST(aclrtMemcpyAsync(to, N, pinned_indices, N, ACL_MEMCPY_HOST_TO_DEVICE, queue));
    kept[round] = pinned_indices;
}

int main(void) {
    begin();
    aclrtStream queue = stream();
    char *indices = device(N);
    char *kept[2];
    for (int round = 0; round < 2; round++) send(indices, round, queue, kept);
    aclrtSynchronizeStream(queue); // the result depends on a race
    for (int round = 0; round < 2; round++) MUST(aclrtFreeHost(kept[round]));
    MUST(aclrtFree(indices));
    aclrtDestroyStream(queue);
    end();
    return 0;
}
