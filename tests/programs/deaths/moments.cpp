// Allocates and releases where programs do so rarely: before main and after it, in destructors of threads and of what an exception passes.
#include "../process/process.h"
#include <stdexcept>
#include <thread>

struct Block {
    char *address = device(64);
    ~Block() { MUST(aclrtFree(address)); }
};

__attribute__((constructor)) static void before_main() {
    begin();
    pairs(1);
}

__attribute__((destructor)) static void after_main() {
    pairs(1);
    printf("%zu blocks left\n", aclsimLiveBlocks(0));
    fflush(stdout);
}

static Block made_before_main;
static thread_local Block of_thread;

static void at_exit() {
    pairs(1);
}

static void throw_past(int depth) {
    Block passed;
    if (depth == 0) {
        throw std::runtime_error("thrown");
    }
    throw_past(depth - 1);
    pairs(1);
}

int main() {
    atexit(at_exit);
    std::thread other[4];
    for (auto &thread : other) {
        thread = std::thread([] {
            MUST(aclrtSetDevice(0));
            pairs(of_thread.address == nullptr); /* Makes it. */
        });
    }
    for (auto &thread : other) {
        thread.join();
    }
    for (int i = 0; i < 10; i++) {
        try {
            throw_past(9);
        } catch (const std::runtime_error &) {
            pairs(1);
        }
    }
    return 0;
}
