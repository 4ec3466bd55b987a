// A parent allocates, its child does too, each has its own log. The argument says which of the child's threads does.
#include "process.h"

static void *allocate(void *unused) {
    MUST(aclrtSetDevice(0));
    pairs(3);
    return unused;
}

static void allocate_in(const char *where) {
    pthread_t thread;
    if (strcmp(where, "thread") == 0) {
        pthread_create(&thread, NULL, allocate, NULL);
        pthread_join(thread, NULL);
    } else if (strcmp(where, "main") == 0) {
        pairs(3);
    }
}

int main(int argc, char **argv) {
    begin();
    char *kept = device(64);
    pairs(5);
    pid_t child = fork();
    if (child == 0) {
        limit_time();
        allocate_in(argv[argc - 1]);
        exit(7);
    }
    int status = ended(child);
    pairs(5);
    MUST(aclrtFree(kept));
    end();
    printf("child %d\n", WEXITSTATUS(status));
    return 0;
}
