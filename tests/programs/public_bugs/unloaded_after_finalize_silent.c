// The same as unloaded_after_finalize.c, fixed.
// https://github.com/hw-native-sys/simpler/issues/1197: a base class's destructor unloads what it holds before
// `aclFinalize`.
#include "../order/order.h"

int main(void) {
    begin();
    aclrtStream queue = stream();
    char *block = device(4096);
    MUST(aclrtMemsetAsync(block, 4096, 0, 4096, queue));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtFree(block));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
