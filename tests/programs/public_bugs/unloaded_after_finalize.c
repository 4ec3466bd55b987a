// A destructor releases memory that `aclFinalize` has dropped.
// https://github.com/hw-native-sys/simpler/issues/1197: a base class's destructor unloads what it holds after
// `aclFinalize`; one driver crashes there.
#include "../order/order.h"

int main(void) {
    begin();
    aclrtStream queue = stream();
    char *block = device(4096);
    MUST(aclrtMemsetAsync(block, 4096, 0, 4096, queue));
    MUST(aclrtSynchronizeStream(queue));
    end();
    printf("%d %d\n", aclrtFree(block), aclrtDestroyStream(queue));
    return 0;
}
