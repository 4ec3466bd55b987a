// The folder that the log is in (the first argument) is removed while the program runs. With a second one it is made again, and in it another
// file of the log's name, which that argument is.
#include "process.h"

int main(int argc, char **argv) {
    char command[4096];
    begin();
    pairs(1);
    snprintf(command, sizeof command, "rm -rf '%s'", argv[1]);
    MUST(system(command));
    if (argc > 2) {
        snprintf(command, sizeof command, "%s/%s", argv[1], argv[2]);
        MUST(mkdir(argv[1], 0700));
        MUST(close(open(command, O_WRONLY | O_CREAT | O_EXCL, 0600)));
    }
    pairs(12000);
    end();
    puts("done");
    return 0;
}
