// A block released three times: by a lambda, by a named thread that calls it, and through a `std::function`.
#include "../rt.h"
#include <functional>
#include <pthread.h>
#include <thread>

int main() {
    begin();
    void *block = [] { return device(100); }(); // inlined
    auto put = [&]() __attribute__((noinline)) { (void)aclrtFree(block); };
    auto loader = [&]() __attribute__((noinline)) {
        pthread_setname_np(pthread_self(), "late loader");
        put();
        asm volatile(""); // no tail call
    };
    std::function<void(int)> again = [&](int) __attribute__((noinline)) {
        put();
        asm volatile("");
    };
    put();
    std::thread(loader).join();
    again(1);
    end();
}
