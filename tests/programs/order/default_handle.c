// A wait for the default stream by its handle waits for no other stream; a wait for another is none for the default one.
#include "order.h"

int main(void) {
    begin();
    aclrtStream work = stream(), handle;
    MUST(aclrtCtxGetCurrentDefaultStream(&handle));
    char *first = device(N), *second = device(N);
    MUST(aclrtMemsetAsync(first, N, 1, N, work));
    MUST(aclrtSynchronizeStream(handle));
    MUST(aclrtFree(first));
    MUST(aclrtMemsetAsync(second, N, 2, N, handle));
    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtFree(second));
    aclrtSynchronizeDevice(); // the fills may have missed their blocks
    aclrtDestroyStream(work);
    end();
    return 0;
}
