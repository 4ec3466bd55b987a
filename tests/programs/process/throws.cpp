// A callback throws through the runtime that called it; the program catches it and continues.
#include "process.h"
#include <stdexcept>

static void thrower(void *) {
    MUST(aclrtFree(device(64)));
    throw std::runtime_error("thrown");
}

int main() {
    aclrtStream stream;
    begin();
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtSubscribeReport((uint64_t)pthread_self(), stream));
    MUST(aclrtLaunchCallback(thrower, NULL, ACL_CALLBACK_NO_BLOCK, stream));
    try {
        aclrtProcessReport(10000);
        puts("not thrown");
    } catch (const std::runtime_error &error) {
        puts(error.what());
    }
    pairs(3);
    return 0;
}
