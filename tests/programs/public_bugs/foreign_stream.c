// A stream is destroyed under another device's context.
// https://github.com/ggml-org/llama.cpp/issues/9250: on many devices, a stream is destroyed while another
// device is the current one (107003).
#include "../order/order.h"

int main(void) {
    begin();
    aclrtStream queue = stream();
    MUST(aclrtSetDevice(1));
    printf("%d\n", aclrtDestroyStream(queue));
    MUST(aclrtResetDevice(1));
    MUST(aclrtResetDevice(0));
    MUST(aclFinalize());
    return 0;
}
