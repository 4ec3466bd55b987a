// All descriptors but the first three are closed, and then the folder of the log, `logs`, is out of reach by the way that is the argument:
// `renamed`, of no `rights` any more, renamed with a `child` that continues as its parent does. Later calls extend the log.
#include "process.h"

static void close_all(void) {
    for (int fd = 3; fd < 1024; fd++) {
        close(fd);
    }
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "";
    MUST(mkdir("logs", 0700));
    begin();
    pairs(1);
    close_all();
    if (strcmp(way, "rights") == 0) {
        MUST(chmod("logs", 0));
        if (geteuid() == 0) {
            MUST(setgid(65534));
            MUST(setuid(65534));
        }
    } else {
        MUST(rename("logs", "moved"));
    }
    if (strcmp(way, "child") == 0) {
        pid_t child = fork();
        if (child == 0) {
            MUST(mkdir("logs", 0700));
            pairs(1);
            close_all();
            MUST(rename("logs", "childs"));
            pairs(24000);
            exit(0);
        }
        MUST(ended(child));
    }
    pairs(12000);
    puts("done");
    return 0;
}
