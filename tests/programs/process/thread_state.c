//@ flags: -Wl,--as-needed -ldl -lm -pthread
// What a thread can ask back is the program's: over first calls of AscendCL, a finding, and functions of libc that memory passes through.
#include "acl/acl.h"
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *block, *host, *mapped;
static aclrtStream stream;
static int ends[2];
static char text[16];

static void none(void) {}
static void init(void) { aclInit(NULL); }
static void set(void) { aclrtSetDevice(0); }
static void refused(void) { aclrtSetDevice(1000); }
static void make(void) { aclrtCreateStream(&stream); }
static void take(void) { aclrtMalloc(&block, 1000, ACL_MEM_MALLOC_HUGE_FIRST); }
static void pin(void) { aclrtMallocHost(&host, 4096); }
static void copy(void) { aclrtMemcpyAsync(block, 1000, host, 1000, ACL_MEMCPY_HOST_TO_DEVICE, stream); }
static void wait_for(void) { aclrtSynchronizeStream(stream); }
static void give(void) { aclrtFree(block); }
static void unpin(void) { aclrtFreeHost(host); }
static void again(void) { aclrtFree(block); }
static void find(void) { dlerror(); (void)dlsym(RTLD_DEFAULT, "aclrtMemset"); }
static void miss(void) { (void)dlsym(RTLD_DEFAULT, "aclrtMissing"); }
static void map(void) { mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static void unmap(void) { munmap(mapped, 4096); }
static void send(void) { (void)!write(ends[1], "words", 5); }
static void receive(void) { (void)!read(ends[0], text, 5); }
static void say(void) { fputs("said\n", stdout); }
static void zeros(void) { free(calloc(1, 100)); }
static void grow(void) { free(realloc(malloc(100), 100000)); }
static void handle(void) { struct sigaction old; sigaction(SIGSEGV, NULL, &old); }

static const struct step { const char *name; void (*call)(void); } steps[] = {
    {"nothing", none}, {"aclInit", init}, {"aclrtSetDevice", set}, {"aclrtSetDevice, refused", refused}, {"aclrtCreateStream", make},
    {"aclrtMalloc", take}, {"aclrtMallocHost", pin}, {"aclrtMemcpyAsync", copy}, {"aclrtSynchronizeStream", wait_for}, {"aclrtFree", give},
    {"aclrtFreeHost", unpin}, {"aclrtFree, again", again}, {"dlsym", find}, {"dlsym, missing", miss}, {"mmap", map}, {"munmap", unmap},
    {"write", send}, {"read", receive}, {"fputs", say}, {"calloc", zeros}, {"realloc", grow}, {"sigaction", handle},
};

static void run(const struct step *step) {
    sigset_t blocked, before, mask;
    int state, type;
    stack_t stack;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_UNDERFLOW | FE_INEXACT);
    errno = EDOM;
    dlopen("libdoes_not_exist.so", RTLD_NOW);
    errno = EDOM;
    step->call();
    int number = errno;
    const char *error = dlerror();
    int rounding = fegetround(), raised = fetestexcept(FE_ALL_EXCEPT);
    fesetround(FE_TONEAREST);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    sigaltstack(NULL, &stack);
    pthread_sigmask(SIG_SETMASK, &before, &mask);
    printf("%s: errno %d, dlerror %s, rounding %x, exceptions %x, cancellation %d %d, alternate stack %x, mask", step->name, number,
           error ? error : "none", rounding, raised, state, type, stack.ss_flags);
    for (int i = 1; i < 32; i++) printf("%d", sigismember(&mask, i));
    printf(", last error %d %d\n", aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

int main(void) {
    if (pipe(ends) != 0) return 1;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) run(&steps[i]);
    fflush(stdout);
    _exit(0);
}
