//@ options: leak_scan=1
// One block that is known and one that is lost, in processes whose memory is hard to look through: with 64 GiB reserved and a pointer in the middle,
// full of pages, with released pages, with a pointer in a page that may only be read, or not even that, or is a file's, with limited
// addresses, behind a filter that kills for `process_vm_readv`, with threads that come and go, without a main thread.
#include "../process/process.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static char *volatile known;

__attribute__((noinline)) static void allocate(char *volatile *place) {
    *place = device(1000);
    memset(device(64), 0, 0);
}

static char *reserve(size_t bytes) {
    char *low = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    MUST(low == MAP_FAILED);
    return low;
}

static void filter(void) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0));
}

static void *nothing(void *given) { return given; }

static void *come_and_go(void *unused) {
    for (volatile int lasts = 1; lasts;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, nothing, unused) == 0) pthread_join(thread, NULL);
    }
    return unused;
}

static pthread_t first;

static void *outlive(void *unused) {
    pthread_join(first, NULL);
    MUST(aclrtSetDevice(0));
    allocate(&known);
    return unused;
}

int main(int count, char **arguments) {
    const char *way = count > 1 ? arguments[1] : "";
    begin();
    pthread_t thread;
    if (!strcmp(way, "main leaves")) {
        first = pthread_self();
        MUST(pthread_create(&thread, NULL, outlive, NULL));
        pthread_exit(NULL);
    }
    if (!strcmp(way, "reserved")) {
        allocate((char *volatile *)(reserve(64ul << 30) + (32ul << 30)));
        return 0;
    }
    if (!strcmp(way, "full")) memset(reserve(512ul << 20), 1, 512ul << 20);
    if (!strcmp(way, "given back")) {
        char *page = reserve(1 << 20);
        allocate((char *volatile *)page);
        allocate(&known);
        MUST(madvise(page, 1 << 20, MADV_DONTNEED));
        return 0;
    }
    if (!strcmp(way, "sealed") || !strcmp(way, "unreadable")) {
        char *page = reserve(1 << 20);
        allocate((char *volatile *)page);
        MUST(mprotect(page, 1 << 20, way[0] == 's' ? PROT_READ : PROT_NONE));
        return 0;
    }
    if (!strcmp(way, "file")) {
        int file = memfd_create("file", 0);
        MUST(file < 0 || ftruncate(file, 4096));
        char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        MUST(page == MAP_FAILED);
        allocate((char *volatile *)page);
        MUST(munmap(page, 4096));
        MUST(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED);
        return 0;
    }
    // Begun later, they would have what calls leave in vector registers, and the loader may save these on their stacks.
    if (!strcmp(way, "threads"))
        for (int i = 0; i < 4; i++) MUST(pthread_create(&thread, NULL, come_and_go, NULL));
    allocate(&known);
    if (!strcmp(way, "limited")) {
        // Less than is in use: every later request is refused.
        struct rlimit limit = {1 << 20, 1 << 20};
        MUST(setrlimit(RLIMIT_AS, &limit));
    }
    if (!strcmp(way, "filtered")) filter();
    return 0;
}
