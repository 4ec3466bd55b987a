//@ run: ACLSIM_SOC=Ascend910B3
/* Blocks shared with another process, which is this program started again. */
#include <sys/wait.h>

#include "expect.h"

#define BYTES ((size_t)2 << 20)

/* The importer: knows the key, and how its exporter wants it to go. */
static int import(const char *key, int32_t device, aclError expected)
{
    char *d = NULL, *again = NULL, host[64];
    OK(aclrtSetDevice(device));
    EXPECT_CODE("driver: the list of admitted processes", expected, aclrtIpcMemImportByKey((void **)&d, key, 0));
    if (expected == ACL_SUCCESS) {
        OK(aclrtMemcpy(host, 64, d, 64, ACL_MEMCPY_DEVICE_TO_HOST));
        EXPECT("3.7: the exporter's bytes", isFilled(host, 0x5a, 64));
        OK(aclrtMemset(d + BYTES - 64, 64, 0x77, 64));
        OK(aclrtIpcMemImportByKey((void **)&again, key, 0));
        EXPECT("driver: a second import gives the same address", again == d);
        EXPECT_CODE("3.7: not for aclrtFree", ACL_ERROR_RT_PARAM_INVALID, aclrtFree(d));
        aclrtPtrAttributes attributes;
        OK(aclrtPointerGetAttributes(d + 100, &attributes));
        EXPECT("3.10", attributes.location.type == ACL_MEM_LOCATION_TYPE_DEVICE && attributes.location.id == (uint32_t)device);
        EXPECT("3.10", sizeOf(d) == BYTES);
        OK(aclrtIpcMemClose(key));
        OK(aclrtMemset(d, 64, 0x11, 64));
        OK(aclrtIpcMemClose(key));
        EXPECT_CODE("driver: another's key", ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtIpcMemClose(key));
        EXPECT_CODE("3.7: closed", ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(d, 64, 0, 64));
    }
    OK(aclrtResetDevice(device));
    return 0;
}

static void start(char **arguments)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        execv("/proc/self/exe", arguments);
        _exit(127);
    }
    EXPECT("set-up", waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void otherProcessImports(const char *key, char *device, char *expected)
{
    char name[80];
    strcpy(name, key);
    start((char *[]){"import", name, device, expected, NULL});
}

/* A child that stays what it is: the list names it before it runs on. */
static void admittedProcessImports(char *key)
{
    int gate[2], status;
    char byte;
    EXPECT("set-up", pipe(gate) == 0);
    pid_t child = fork();
    if (child == 0) {
        char name[80];
        strcpy(name, key);
        close(gate[1]);
        EXPECT("set-up", read(gate[0], &byte, 1) == 1);
        execv("/proc/self/exe", (char *[]){"import", name, "0", "0", NULL});
        _exit(127);
    }
    close(gate[0]);
    int32_t pids[2] = {child, 1};
    OK(aclrtIpcMemSetImportPid(key, pids, 2));
    EXPECT("set-up", write(gate[1], "x", 1) == 1);
    EXPECT("set-up", waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(gate[1]);
}

int main(int argc, char **argv)
{
    if (argc == 4) {
        return import(argv[1], atoi(argv[2]), atoi(argv[3]));
    }
    char key[80] = "", unlisted[65], *d, *small, *cut, host[64];
    void *p;
    int32_t pid = 0;
    EXPECT_CODE("107002", ACL_ERROR_RT_CONTEXT_NULL, aclrtIpcMemImportByKey(&p, "00", 0));
    OK(aclrtSetDevice(0));
    OK(aclrtDeviceGetBareTgid(&pid));
    EXPECT("set-up", pid == getpid());
    OK(aclrtMalloc((void **)&d, BYTES, ACL_MEM_MALLOC_HUGE_ONLY));
    OK(aclrtMemset(d, BYTES, 0x5a, BYTES));

    EXPECT_CODE("3.7", ACL_ERROR_INVALID_PARAM, aclrtIpcMemGetExportKey(NULL, BYTES, key, 65, 0));
    EXPECT_CODE("3.7", ACL_ERROR_INVALID_PARAM, aclrtIpcMemGetExportKey(d, BYTES, NULL, 65, 0));
    EXPECT_CODE("3.7: len is 65", ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(d, BYTES, key, 64, 0));
    EXPECT_CODE("api_error.cc: size 0", ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(d, 0, key, 65, 0));
    EXPECT_CODE("api_error.cc: flags", ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(d, BYTES, key, 65, 2));
    EXPECT_CODE("3.7: page of 2 MiB", ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(d + 4096, 4096, key, 65, 0));
    EXPECT_CODE("driver: device memory", ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(host, 64, key, 65, 0));
    OK(aclrtMalloc((void **)&small, 1024, ACL_MEM_MALLOC_NORMAL_ONLY));
    OK(aclrtMalloc((void **)&cut, 1024, ACL_MEM_MALLOC_NORMAL_ONLY));
    EXPECT("set-up", (uintptr_t)cut % 4096 != 0);
    EXPECT_CODE("3.7: cut from a chunk", ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(cut, 1024, key, 65, 0));

    OK(aclrtIpcMemGetExportKey(d, BYTES, key, 65, ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT));
    EXPECT("3.7", strlen(key) > 0 && strlen(key) < 65);
    otherProcessImports(key, "0", "107000");
    admittedProcessImports(key);
    OK(aclrtMemcpy(host, 64, d + BYTES - 64, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("3.7: what the importer wrote", isFilled(host, 0x77, 64));

    OK(aclrtMemset(d, BYTES, 0x5a, BYTES));
    OK(aclrtIpcMemGetExportKey(d, BYTES, unlisted, 65, ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
    otherProcessImports(unlisted, "1", "0");
    OK(aclrtIpcMemClose(unlisted));
    otherProcessImports(unlisted, "0", "107000");
    EXPECT_CODE("3.7: closed", ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemClose(unlisted));
    OK(aclrtIpcMemClose(key));

    EXPECT_CODE("A3 only", ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                aclrtIpcMemSetAttr(key, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS));
    EXPECT_CODE("api_error.cc", ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemSetAttr(NULL, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 0));
    aclrtServerPid server = {0, &pid, 1};
    EXPECT_CODE("A3 only", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtIpcMemImportPidInterServer(key, &server, 1));
    EXPECT_CODE("a key is hexadecimal here", ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey(&p, "../../etc/passwd", 0));
    EXPECT_CODE("no such key", ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey(&p, "0123456789", 0));

    /* The device's end closes what it had exported. */
    OK(aclrtIpcMemGetExportKey(d, BYTES, unlisted, 65, ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
    OK(aclrtResetDevice(0));
    otherProcessImports(unlisted, "0", "107000");
    return 0;
}
