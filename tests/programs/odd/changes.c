// The process changes its identity (the first argument) between its calls: its root or working folder, user or privileges.
// The second argument says when, the third how many pairs follow.
#include "odd.h"
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static void pairs(int count) {
    for (int i = 0; i < count; i++) {
        void *block = NULL;
        if (aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST) != 0 || aclrtFree(block) != 0) {
            puts("an error");
        }
    }
}

static int change(const char *what) {
    struct {
        unsigned version, pid;
    } header = {0x20080522, 0};
    unsigned nothing[6] = {0};
    if (strcmp(what, "folder") == 0) {
        return chdir("/");
    } else if (strcmp(what, "root") == 0) {
        return mkdir("empty", 0700) || chroot("empty") || chdir("/");
    } else if (strcmp(what, "user") == 0) {
        return setgid(65534) || setuid(65534);
    } else if (strcmp(what, "capabilities") == 0) {
        return (int)syscall(SYS_capset, &header, nothing);
    } else if (strcmp(what, "undumpable") == 0) {
        return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    } else if (strcmp(what, "umask") == 0) {
        return umask(0777) & 0;
    } else if (strcmp(what, "environment") == 0) {
        return clearenv();
    } else if (strcmp(what, "files") == 0) {
        while (open("/dev/null", O_RDONLY) >= 0) {
        }
    } else if (strcmp(what, "few files") == 0) {
        struct rlimit none = {0, 0};
        return setrlimit(RLIMIT_NOFILE, &none);
    }
    return 0;
}

int main(int argc, char **argv) {
    const char *when = argc > 2 ? argv[2] : "later";
    if (strcmp(when, "first") == 0 && change(argv[1]) != 0) {
        return 111;
    }
    aclInit(NULL);
    aclrtSetDevice(0);
    pairs(1);
    if (strcmp(when, "later") == 0 && argc > 1 && change(argv[1]) != 0) {
        return 111;
    }
    pairs(argc > 3 ? atoi(argv[3]) : 12000);
    puts("done");
    return 0;
}
