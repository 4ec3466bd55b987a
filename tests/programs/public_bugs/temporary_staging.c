//@ env: ACLSIM_STREAM_DELAY_US=2000
// A pinned temporary is freed before its copy has run.
// https://github.com/vllm-project/vllm-ascend/pull/15746 and pull/15719: indices are pinned, sent with `non_blocking=True` and forgotten:
// their pages are the next tensor's when the copy comes to them, which reads an index of 1048797440.
#include "../order/order.h"

static void send(char *to, int round, aclrtStream queue) {
    char *pinned_indices = pinned(N);
    memset(pinned_indices, round, N);
    MUST(aclrtMemcpyAsync(to, N, pinned_indices, N, ACL_MEMCPY_HOST_TO_DEVICE, queue));
    MUST(aclrtFreeHost(pinned_indices));
}

int main(void) {
    begin();
    aclrtStream queue = stream();
    char *indices = device(N);
    for (int round = 0; round < 2; round++) send(indices, round, queue);
    aclrtSynchronizeStream(queue); // the result depends on a race
    MUST(aclrtFree(indices));
    aclrtDestroyStream(queue);
    end();
    return 0;
}
