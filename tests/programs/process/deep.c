// Allocates below 5,000 frames, and on the smallest stacks that threads can have; the argument selects the bug there.
#include "process.h"

static int is_wrong;

static void work(void) {
    char *block = device(100);
    MUST(aclrtFree(block));
    if (is_wrong) {
        aclrtFree(block);
    }
}

static void *shallow(void *unused) {
    MUST(aclrtSetDevice(0));
    work();
    return unused;
}

static void on_stack_of(size_t bytes) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    if (pthread_create(&thread, &attributes, shallow, NULL) != 0) {
        puts("no thread");
        return;
    }
    pthread_join(thread, NULL);
    puts("a small stack");
}

int main(int argc, char **argv) {
    is_wrong = argc > 1 && strcmp(argv[1], "wrong") == 0;
    begin();
    for (unsigned path = 0; path < 3; path++) {
        descend(5000, path * 0x55555555u, work);
    }
    on_stack_of(64 * 1024);
    on_stack_of(64 * 1024);
    on_stack_of((size_t)sysconf(_SC_THREAD_STACK_MIN));
    end();
    return 0;
}
