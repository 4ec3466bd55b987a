// The shape of torch_npu's expandable segments: a range for all the memory that may ever be wanted, memory mapped into it piece by piece
// as tensors need it, unmapped piece by piece when the cache is emptied, and mapped again; tensors cross pieces.
#include "vm.h"

#define PIECES 32

int main(void) {
    begin();
    char *segment = reserved((size_t)72 << 30), *host = malloc(3 * PAGE);
    aclrtDrvMemHandle pieces[PIECES] = {NULL};
    aclrtStream stream;
    MUST(aclrtCreateStream(&stream));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PIECES; i++) {
            if (!pieces[i]) {
                pieces[i] = memory(PAGE);
                map(segment + i * PAGE, PAGE, pieces[i]);
            }
        }
        // A tensor that begins in one piece and ends in the fourth.
        char *tensor = segment + 3 * PAGE - 512;
        MUST(aclrtMemcpy(tensor, 2 * PAGE + 1024, host, 2 * PAGE + 1024, ACL_MEMCPY_HOST_TO_DEVICE));
        MUST(aclrtMemcpyAsync(segment + 10 * PAGE, 3 * PAGE, segment, 3 * PAGE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        MUST(aclrtSynchronizeStream(stream));
        MUST(aclrtMemset(segment, PIECES * PAGE, 0, PIECES * PAGE));
        for (int i = round; i < PIECES; i += 3) {
            unmap(segment + i * PAGE, pieces[i]);
            pieces[i] = NULL;
        }
        char *left = segment + ((round + 1) % 3) * PAGE;
        MUST(aclrtMemcpy(host, PAGE, left, PAGE, ACL_MEMCPY_DEVICE_TO_HOST));
    }
    for (int i = 0; i < PIECES; i++) {
        if (pieces[i])
            unmap(segment + i * PAGE, pieces[i]);
    }
    MUST(aclrtReleaseMemAddress(segment));
    MUST(aclrtDestroyStream(stream));
    free(host);
    end();
    return 0;
}
