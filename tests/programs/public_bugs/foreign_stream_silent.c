// The same as foreign_stream.c, fixed.
// https://github.com/ggml-org/llama.cpp/issues/9250: on many devices, a stream is destroyed while its own
// device is the current one.
#include "../order/order.h"

int main(void) {
    begin();
    aclrtStream queue = stream();
    MUST(aclrtSetDevice(1));
    MUST(aclrtSetDevice(0));
    MUST(aclrtDestroyStream(queue));
    MUST(aclrtResetDevice(1));
    MUST(aclrtResetDevice(0));
    MUST(aclrtResetDevice(0));
    MUST(aclFinalize());
    return 0;
}
