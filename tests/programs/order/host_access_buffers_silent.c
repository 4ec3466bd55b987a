//@ options: host_access=trap
//@ env: ACLSIM_STREAM_DELAY_US=500
// Two buffers in turn: the CPU fills one while the other is sent, and reads one while the other arrives.
#include "order.h"

int main(void) {
    begin();
    aclrtStream work = stream();
    char *block = device(2 * N), *out[2] = {pinned(N), pinned(N)}, *in[2] = {pinned(N), pinned(N)};
    aclrtEvent sent[2], arrived[2];
    for (int i = 0; i < 2; i++) {
        MUST(aclrtCreateEvent(&sent[i]));
        MUST(aclrtCreateEvent(&arrived[i]));
    }
    for (int round = 0; round < 12; round++) {
        int now = round % 2, before = 1 - now;
        if (round >= 2) MUST(aclrtSynchronizeEvent(sent[now]));
        memset(out[now], round, N);
        MUST(aclrtMemcpyAsync(block + now * N, N, out[now], N, ACL_MEMCPY_HOST_TO_DEVICE, work));
        MUST(aclrtRecordEvent(sent[now], work));
        MUST(aclrtMemcpyAsync(in[now], N, block + now * N, N, ACL_MEMCPY_DEVICE_TO_HOST, work));
        MUST(aclrtRecordEvent(arrived[now], work));
        if (round >= 1) {
            MUST(aclrtSynchronizeEvent(arrived[before]));
            for (int i = 0; i < N; i++)
                if (in[before][i] != round - 1) return 3;
        }
    }
    MUST(aclrtSynchronizeStream(work));
    for (int i = 0; i < 2; i++) {
        MUST(aclrtFreeHost(out[i]));
        MUST(aclrtFreeHost(in[i]));
        MUST(aclrtDestroyEvent(sent[i]));
        MUST(aclrtDestroyEvent(arrived[i]));
    }
    MUST(aclrtFree(block));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
