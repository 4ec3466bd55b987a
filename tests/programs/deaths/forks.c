// Four threads are in hooks of all kinds while the main thread forks, as often as the first argument says. Each child allocates, releases
// and ends in another way; the second argument is a library that a thread loads and unloads all the while.
#include "../process/process.h"
#include <aclsan.h>
#include <dlfcn.h>
#include <sys/syscall.h>

enum { LOGS_KEPT = 16, WAYS = 8 };
static _Atomic int stopping;

/* Takes, below a mostly new stack, every lock that a call of the small runtime can take. */
static void work(void) {
    static _Atomic unsigned turn;
    unsigned own = turn++;
    char name[16], *block = device(4096);
    snprintf(name, sizeof name, "step %u", own % 64);
    MUST(aclrtMemcpy(block, 64, block + 64, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
    aclsan_ignore_begin();
    char *unheard = device(64);
    aclsan_ignore_end();
    aclsan_name_block(block, name);
    switch (own % 8) {
    case 0:
        aclsan_snapshot(name);
        break;
    case 1:
        aclsan_check();
        break;
    case 2:
        aclsan_epoch(name);
        break;
    case 3: {
        aclsan_pool pool = aclsan_pool_create(name, block, 4096);
        aclsan_pool_alloc(pool, block + 256, 128);
        aclsan_pool_free(pool, block + 256);
        aclsan_pool_destroy(pool);
        break;
    }
    default:
        aclrtFree(NULL); /* A finding. */
    }
    MUST(aclrtFree(unheard));
    MUST(aclrtFree(block));
}

static void *allocate(void *seed) {
    MUST(aclrtSetDevice(0));
    for (unsigned path = (unsigned)(uintptr_t)seed; !stopping; path = path * 1103515245u + 12345u) {
        descend(12, path >> 8, work);
    }
    return NULL;
}

static void *load(void *path) {
    while (!stopping) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) {
            dlclose(library);
        }
    }
    return path;
}

static void end_as(unsigned way) {
    switch (way) {
    case 0:
        _exit(0);
    case 1:
        exit(1);
    case 2:
        quick_exit(2);
    case 3:
        abort();
    case 4:
        raise(SIGKILL);
    case 5:
        execl("/bin/true", "true", (char *)NULL);
        _exit(99);
    case 6:
        pthread_exit(NULL);
    default:
        syscall(SYS_exit_group, 7);
    }
}

static int is_expected(unsigned way, int status) {
    if (way == 3 || way == 4) {
        return WIFSIGNALED(status) && WTERMSIG(status) == (way == 3 ? SIGABRT : SIGKILL);
    }
    int code = way == 5 || way == 6 ? 0 : (int)way;
    return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

int main(int argc, char **argv) {
    pthread_t threads[5];
    unsigned count = (unsigned)atoi(argv[1]), failed = 0;
    int workers = 4 + (argc > 2);
    struct rlimit no_cores = {0, 0};
    setrlimit(RLIMIT_CORE, &no_cores);
    begin();
    for (int i = 0; i < 8; i++) {
        work(); /* Looking a function up the first time takes the loader's lock, which a child may find taken. */
    }
    for (uintptr_t i = 0; i < (uintptr_t)workers; i++) {
        pthread_create(&threads[i], NULL, i < 4 ? allocate : load, i < 4 ? (void *)(i + 1) : argv[2]);
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned way = i % WAYS;
        if (workers > 4 && (way == 1 || way == 2 || way == 6)) {
            way = 0; /* exit itself waits for locks that a thread in dlclose had, with the library or without. */
        }
        alarm(60);
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            descend(12, i, work);
            end_as(way);
        }
        int status = ended(child);
        if (!is_expected(way, status)) {
            fprintf(stderr, "child %u ended with %#x\n", i, status);
            failed++;
        }
        if (i >= LOGS_KEPT) {
            char log[64];
            snprintf(log, sizeof log, "%d.aclsan", child);
            unlink(log);
        }
    }
    stopping = 1;
    for (int i = 0; i < workers; i++) {
        pthread_join(threads[i], NULL);
    }
    end();
    printf("%u children failed\n", failed);
    return 0;
}
