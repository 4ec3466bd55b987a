//@ flags: -Wno-free-nonheap-object
// Dies with two live blocks and a leak-free past, in one of many ways: the argument.
#include "process.h"
#include <assert.h>
#include <setjmp.h>
#include <sys/auxv.h>
#include <sys/mman.h>

static char *kept[2];

__attribute__((noinline)) static void write_to(volatile char *place) { *place = 1; }

__attribute__((noinline)) static void fault(void) { write_to((char *)16); }

__attribute__((noinline)) static int recurse(int depth) {
    volatile char room[512];
    room[depth % 512] = (char)depth;
    return depth < 0 ? 0 : recurse(depth + 1) + room[depth % 512];
}

static void *overflow(void *unused) {
    MUST(aclrtSetDevice(0));
    MUST(aclrtFree(device(64)));
    return (void *)(uintptr_t)recurse((int)(uintptr_t)unused);
}

/* On a thread with a small stack. */
static void overflow_thread(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 * 1024);
    pthread_create(&thread, &attributes, overflow, NULL);
    pthread_join(thread, NULL);
}

static pthread_barrier_t barrier;

static void *crash_together(void *unused) {
    MUST(aclrtSetDevice(0));
    MUST(aclrtFree(device(64)));
    pthread_barrier_wait(&barrier);
    fault();
    return unused;
}

static void threads(void) {
    pthread_t all[8];
    pthread_barrier_init(&barrier, NULL, 8);
    for (int i = 0; i < 8; i++) {
        pthread_create(&all[i], NULL, crash_together, NULL);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(all[i], NULL);
    }
}

/* A mapped file that is cut. */
static void bus(void) {
    FILE *file = tmpfile();
    int number = fileno(file);
    if (ftruncate(number, 4096) != 0) {
        exit(8);
    }
    char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0);
    if (ftruncate(number, 0) != 0) {
        exit(8);
    }
    write_to(map);
}

/* libc finds its heap corrupted. */
static void heap(void) {
    char *volatile block = malloc(100);
    free(block);
    free(block);
}

/* libc is given a block, before which is what it takes for the size of a mapping. */
static void freed(void) {
    char *first = pinned(4096);
    char *second = pinned(4096);
    char *volatile later = first < second ? second : first;
    memset(later - 16, 0xff, 16);
    __asm__ volatile("" ::: "memory");
    free(later);
}

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* The program's alternate stack has 8 KiB beside what the kernel saves there, and nothing may be written below. */
static void small_stack(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), saved = getauxval(AT_MINSIGSTKSZ);
    size_t room = (8192 + saved + page - 1) / page * page;
    char *low = mmap(NULL, page + room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack = {.ss_sp = low + page, .ss_size = room};
    if (mprotect(low + page, room, PROT_READ | PROT_WRITE) != 0 || sigaltstack(&stack, NULL) != 0) {
        exit(8);
    }
    fault();
}

/* The stack pointer is wrong, so that nothing can be walked. */
static void lose_stack(void) {
#ifdef __x86_64__
    __asm__ volatile("mov $64, %rsp\n push %rax");
#else
    __asm__ volatile("mov x9, #64\n mov sp, x9\n str x9, [sp]");
#endif
}

static void child(void) {
    int status = 0;
    pid_t born = fork();
    if (born == 0) {
        kept[0] = device(128);
        fault();
    }
    waitpid(born, &status, 0);
    printf("the child was ended by signal %d\n", WTERMSIG(status));
    MUST(aclrtFree(kept[0]));
    MUST(aclrtFreeHost(kept[1]));
    end();
    exit(0);
}

int main(int argc, char **argv) {
    const char *way = argv[argc - 1];
    begin();
    MUST(aclrtFree(device(4096)));
    kept[0] = device(1000);
    kept[1] = pinned(24);
    printf("dies by %s\n", way);
    fflush(stdout);
    if (strcmp(way, "fault") == 0) {
        fault();
    } else if (strcmp(way, "call") == 0) {
        ((void (*)(void))(uintptr_t)argc)();
    } else if (strcmp(way, "overflow") == 0) {
        overflow((void *)(uintptr_t)argc);
    } else if (strcmp(way, "overflow of a thread") == 0) {
        overflow_thread();
    } else if (strcmp(way, "abort") == 0) {
        abort();
    } else if (strcmp(way, "assertion") == 0) {
        assert(argc == 77);
    } else if (strcmp(way, "heap") == 0) {
        heap();
    } else if (strcmp(way, "division") == 0) {
        raise(SIGFPE);
    } else if (strcmp(way, "trap") == 0) {
        raise(SIGTRAP);
    } else if (strcmp(way, "instruction") == 0) {
#ifdef __x86_64__
        __asm__ volatile("ud2");
#else
        __asm__ volatile("udf #0");
#endif
    } else if (strcmp(way, "freed") == 0) {
        freed();
    } else if (strcmp(way, "small stack") == 0) {
        small_stack();
    } else if (strcmp(way, "stack lost") == 0) {
        lose_stack();
    } else if (strcmp(way, "bus") == 0) {
        bus();
    } else if (strcmp(way, "sent") == 0) {
        kill(getpid(), SIGSEGV);
    } else if (strcmp(way, "threads") == 0) {
        threads();
    } else if (strcmp(way, "child") == 0) {
        child();
    } else if (strcmp(way, "runtime") == 0) {
        MUST(aclrtMemcpy(kept[0], 1000, (void *)16, 1000, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    return 4;
}
