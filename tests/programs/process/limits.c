// Sets a limit on itself, `files` or `bytes`, to the value that is the second argument, and allocates for a while.
#include "process.h"

int main(int argc, char **argv) {
    if (argc == 3) {
        rlim_t most = strtoul(argv[2], NULL, 10);
        struct rlimit limit = {most, most};
        MUST(setrlimit(strcmp(argv[1], "files") == 0 ? RLIMIT_NOFILE : RLIMIT_FSIZE, &limit));
    }
    begin();
    pairs(1);
    int fd = open("/dev/null", O_RDONLY);
    pairs(12000);
    end();
    printf("descriptor %d\n", fd);
    return 0;
}
