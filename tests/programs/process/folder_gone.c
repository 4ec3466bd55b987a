// The folder that the log is in (the argument) is removed while the program runs.
#include "process.h"

int main(int argc, char **argv) {
    char command[4096];
    begin();
    pairs(1);
    snprintf(command, sizeof command, "rm -rf '%s'", argv[argc - 1]);
    MUST(system(command));
    pairs(12000);
    end();
    puts("done");
    return 0;
}
