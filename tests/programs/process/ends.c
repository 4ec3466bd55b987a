// 1,000 allocations and 400 releases have returned when the program ends in one of many ways: the argument.
#include "process.h"

int main(int argc, char **argv) {
    const char *way = argv[argc - 1];
    static char *blocks[1000];
    begin();
    for (int i = 0; i < 1000; i++) {
        blocks[i] = device(4096);
    }
    for (int i = 0; i < 400; i++) {
        MUST(aclrtFree(blocks[i]));
    }
    printf("ends by %s\n", way);
    fflush(stdout);
    if (strcmp(way, "exit") == 0) {
        exit(5);
    } else if (strcmp(way, "_exit") == 0) {
        _exit(6);
    } else if (strcmp(way, "abort") == 0) {
        abort();
    } else if (strcmp(way, "kill") == 0) {
        kill(getpid(), SIGKILL);
    } else if (strcmp(way, "fault") == 0) {
        *(volatile char *)8 = 1;
    } else if (strcmp(way, "last thread") == 0) {
        pthread_exit(NULL);
    }
    return 4;
}
