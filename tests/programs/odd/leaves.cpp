// Calls that are left from inside the runtime: by an exception, or by longjmp. What the program does after that is on record.
// The argument: `throw`, `jump` or `signal`.
#include <csetjmp>
#include <csignal>
#include <dlfcn.h>
#include <functional>
#include <stdexcept>
extern "C" {
#include "odd.h"
}

static const char *left, *way;
static sigjmp_buf back;

static void jump(int) {
    siglongjmp(back, 1);
}

static void inside(const char *call) {
    if (left == NULL || strcmp(call, left) != 0) {
        return;
    }
    left = NULL;
    if (strcmp(way, "throw") == 0) {
        throw std::runtime_error(call);
    }
    if (strcmp(way, "signal") == 0) {
        raise(SIGUSR1);
    }
    siglongjmp(back, 1);
}

static int leave(const char *call, const std::function<void()> &make) {
    left = call;
    if (sigsetjmp(back, 1) != 0) {
        return 1;
    }
    try {
        make();
    } catch (const std::runtime_error &) {
        return 1;
    }
    return 0;
}

/* As deep as `leave`, deeper, and less deep. */
static void pairs() {
    for (int i = 0; i < 3; i++) {
        void *block = NULL;
        if (aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST) != 0 || aclrtFree(block) != 0) {
            puts("an error");
        }
    }
}

__attribute__((noinline)) static void deeper() {
    volatile char room[4096];
    room[0] = 1;
    pairs();
    room[1] = room[0];
}

int main(int, char **argv) {
    static char stack[1 << 16];
    way = argv[1];
    *(void (**)(const char *))dlsym(RTLD_DEFAULT, "odd_inside") = inside;
    stack_t other = {};
    other.ss_sp = stack;
    other.ss_size = sizeof stack;
    sigaltstack(&other, NULL);
    struct sigaction action = {};
    action.sa_handler = jump;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    aclInit(NULL);
    aclrtSetDevice(0);
    void *block = NULL, *host = NULL, *out = NULL;
    aclrtStream stream = NULL, second = NULL;
    aclrtEvent event = NULL;
    aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMallocHost(&host, 64);
    aclrtCreateStream(&stream);
    aclrtCreateEvent(&event);
    const struct {
        const char *call;
        std::function<void()> make;
    } calls[] = {
        {"aclrtMalloc", [&] { aclrtMalloc(&out, 64, ACL_MEM_MALLOC_HUGE_FIRST); }},
        {"aclrtMallocHost", [&] { aclrtMallocHost(&out, 64); }},
        {"aclrtMemcpy", [&] { aclrtMemcpy(block, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE); }},
        {"aclrtMemcpyAsync", [&] { aclrtMemcpyAsync(block, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream); }},
        {"aclrtMemset", [&] { aclrtMemset(block, 64, 0, 64); }},
        {"aclrtCreateStream", [&] { aclrtCreateStream(&second); }},
        {"aclrtSynchronizeStream", [&] { aclrtSynchronizeStream(stream); }},
        {"aclrtProcessReport", [&] { aclrtProcessReport(1); }},
        {"aclrtDestroyEvent", [&] { aclrtDestroyEvent(event); }},
        {"aclrtDestroyStream", [&] { aclrtDestroyStream(stream); }},
        {"aclrtFreeHost", [&] { aclrtFreeHost(host); }},
        {"aclrtFree", [&] { aclrtFree(block); }},
        {"aclrtSetDevice", [&] { aclrtSetDevice(0); }},
        {"aclInit", [&] { aclInit(NULL); }},
    };
    for (const auto &one : calls) {
        printf("%s: %s\n", one.call, leave(one.call, one.make) ? "left" : "returned");
        pairs();
        deeper();
    }
    return 0;
}
