// One process's memory mapped by another, which is this program started again.
#include "vm.h"
#include <sys/wait.h>
#include <unistd.h>

static int import(const char *share) {
    aclrtDrvMemHandle handle = NULL;
    char *range = reserved(2 * PAGE), host[64];
    MUST(aclrtMemImportFromShareableHandle(strtoull(share, NULL, 16), 0, &handle));
    map(range + PAGE, PAGE, handle);
    MUST(aclrtMemcpy(host, 64, range + PAGE, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclrtMemset(range + PAGE, PAGE, host[0] + 1, PAGE));
    unmap(range + PAGE, handle);
    MUST(aclrtReleaseMemAddress(range));
    end();
    return host[63];
}

int main(int argc, char **argv) {
    begin();
    if (argc > 1)
        return import(argv[1]);
    char *range = reserved(PAGE), text[32], host[64];
    aclrtDrvMemHandle handle = memory(PAGE);
    uint64_t share = 0;
    int status = 0;
    map(range, PAGE, handle);
    MUST(aclrtMemset(range, PAGE, 17, PAGE));
    MUST(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION, &share));
    snprintf(text, sizeof text, "%llx", (unsigned long long)share);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", argv[0], text, (char *)NULL);
        _exit(8);
    }
    waitpid(child, &status, 0);
    MUST(aclrtMemcpy(host, 64, range, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("the other process read %d and left %d\n", WEXITSTATUS(status), host[5]);
    unmap(range, handle);
    MUST(aclrtReleaseMemAddress(range));
    end();
    return 0;
}
