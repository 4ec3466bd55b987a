// Fills by words: N counts four bytes each. One passes its block, one claims more than there is.
#include "../rt.h"

int main(void) {
    begin();
    char *block = device(4096);
    MUST(aclrtMemsetD32(block + 4000, 1000, 7, 25)); // 100 bytes, where 96 are left
    MUST(aclrtMemsetD32Async(block, 5000, 7, 1024, NULL));
    MUST(aclrtSynchronizeStream(NULL));
    MUST(aclrtFree(block));
    end();
    return 0;
}
