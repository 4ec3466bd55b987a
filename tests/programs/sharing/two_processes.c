// The importer writes past the end of the imported block, passes it to aclrtFree, and closes it twice.
#include "shared.h"
#include <sys/wait.h>
#include <unistd.h>

static int importer(const char *key) {
    begin();
    char *seen = import_key(key);
    printf("%d\n", aclrtMemset(seen + BYTES - 64, 65, 1, 65));
    printf("%d\n", aclrtFree(seen));
    MUST(aclrtIpcMemClose(key));
    printf("%d\n", aclrtIpcMemClose(key));
    end();
    return 0;
}

int main(int argc, char **argv) {
    char key[65];
    if (argc > 1) {
        return importer(argv[1]);
    }
    begin();
    char *block = huge();
    export_key(block, key);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", argv[0], key, NULL);
        _exit(127);
    }
    waitpid(child, NULL, 0);
    MUST(aclrtIpcMemClose(key));
    MUST(aclrtFree(block));
    end();
    return 0;
}
