//@ env: ACLSIM_STREAM_DELAY_US=500
// Two buffers and two streams that wait for each other, in both directions.
#include "order.h"

enum { ROUNDS = 6 };

int main(void) {
    begin();
    aclrtStream copies = stream(), work = stream();
    char *rows[2] = {device(N), device(N)}, *out = device(N), *staging = pinned(N);
    aclrtEvent filled[2], used[2];
    for (int i = 0; i < 2; i++) {
        MUST(aclrtCreateEvent(&filled[i]));
        used[i] = recorded(work);
    }
    for (int round = 0; round < ROUNDS; round++) {
        int i = round % 2;
        MUST(aclrtStreamWaitEvent(copies, used[i]));
        MUST(aclrtMemcpyAsync(rows[i], N, staging, N, ACL_MEMCPY_HOST_TO_DEVICE, copies));
        MUST(aclrtRecordEvent(filled[i], copies));
        MUST(aclrtStreamWaitEvent(work, filled[i]));
        MUST(aclrtMemcpyAsync(out, N, rows[i], N, ACL_MEMCPY_DEVICE_TO_DEVICE, work));
        MUST(aclrtRecordEvent(used[i], work));
    }
    MUST(aclrtSynchronizeStream(work));
    // Halves of one block, and columns of one matrix, are not the same bytes.
    MUST(aclrtMemsetAsync(out, N / 2, 1, N / 2, copies));
    MUST(aclrtMemsetAsync(out + N / 2, N / 2, 2, N / 2, work));
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtMemcpy2dAsync(out, 64, staging, 64, 32, 64, ACL_MEMCPY_HOST_TO_DEVICE, copies));
    MUST(aclrtMemcpy2dAsync(out + 32, 64, staging + 32, 64, 32, 63, ACL_MEMCPY_HOST_TO_DEVICE, work));
    MUST(aclrtSynchronizeDevice());
    for (int i = 0; i < 2; i++) {
        MUST(aclrtDestroyEvent(filled[i]));
        MUST(aclrtDestroyEvent(used[i]));
        MUST(aclrtFree(rows[i]));
    }
    MUST(aclrtFree(out));
    MUST(aclrtFreeHost(staging));
    MUST(aclrtDestroyStream(copies));
    MUST(aclrtDestroyStream(work));
    end();
    return 0;
}
