// A limit (the first argument) leaves the process as many KiB more (the second) as it has; it needs none. Then ever new stacks, by two
// threads, and a finding. ODD=same gives all of them the same block.
#include "odd.h"
#include <pthread.h>
#include <sys/resource.h>

static pthread_barrier_t limited;
static int wrong;

static void pair(void) {
    void *block = NULL;
    wrong += aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST) + aclrtFree(block);
}

__attribute__((noinline, noclone)) static void descend(int depth, unsigned path) {
    volatile int kept = depth;
    if (depth == 0) {
        pair();
    } else if (path & 1) {
        descend(depth - 1, path >> 1);
        kept++;
    } else {
        descend(depth - 1, path >> 1);
        kept--;
    }
}

static void *stacks(void *unused) {
    pthread_barrier_wait(&limited);
    for (unsigned path = 0; path < 2048; path++) {
        descend(11, path);
    }
    return unused;
}

static rlim_t used(int field) {
    unsigned long pages[7] = {0};
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%lu %lu %lu %lu %lu %lu", pages, pages + 1, pages + 2, pages + 3, pages + 4, pages + 5) != 6) {
        exit(9);
    }
    fclose(file);
    return (rlim_t)pages[field] * 4096;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int resource, field;
    } LIMITS[] = {{"as", RLIMIT_AS, 0}, {"data", RLIMIT_DATA, 5}, {"stack", RLIMIT_STACK, -1},
                  {"core", RLIMIT_CORE, -1}, {"nproc", RLIMIT_NPROC, -1}, {"memlock", RLIMIT_MEMLOCK, -1}};
    pthread_t thread;
    setvbuf(stdout, NULL, _IOFBF, 1 << 12);
    printf("begun\n");
    pthread_barrier_init(&limited, NULL, 2);
    pthread_create(&thread, NULL, stacks, NULL);
    aclInit(NULL);
    aclrtSetDevice(0);
    pair();
    for (int i = 0; i < 6 && argc == 3; i++) {
        if (strcmp(LIMITS[i].name, argv[1]) == 0) {
            rlim_t most = strtoul(argv[2], NULL, 10) << 10;
            most += LIMITS[i].field >= 0 ? used(LIMITS[i].field) : 0;
            struct rlimit limit = {most, most};
            if (setrlimit(LIMITS[i].resource, &limit) != 0) {
                return 8;
            }
        }
    }
    stacks(NULL);
    pthread_join(thread, NULL);
    wrong += aclrtFree(&wrong);
    printf("%d wrong\n", wrong);
    return 0;
}
