//@ run
/* Memory of one process mapped by another, which runs this program again. Sources: the API reference of CANN 9
 * (aclrtMemExportToShareableHandle), the driver (svm_master_mem_share.c, ef377e95). */
#include <sys/wait.h>

#include "vmm.h"

static int32_t run(char *program, char *share, int *in, int *out)
{
    int32_t child = fork();
    if (child == 0) {
        char in_text[16], out_text[16];
        snprintf(in_text, sizeof in_text, "%d", in[0]);
        snprintf(out_text, sizeof out_text, "%d", out[1]);
        execl(program, program, share, in_text, out_text, (char *)NULL);
        _exit(8);
    }
    return child;
}

static void await(int file)
{
    char byte;
    EXPECT("the other process", read(file, &byte, 1) == 1);
}

static int import(const char *share_text, int in, int out)
{
    uint64_t share = strtoull(share_text, NULL, 16);
    aclrtDrvMemHandle handle = NULL;
    char host[64];
    OK(aclrtSetDevice(0));
    EXPECT_CODE("3.6: not on the list", ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                aclrtMemImportFromShareableHandle(share, 0, &handle));
    EXPECT("ready", write(out, "r", 1) == 1);
    await(in);
    size_t before = freeBytes();
    OK(aclrtMemImportFromShareableHandle(share, 0, &handle));
    EXPECT("the exporter's memory", freeBytes() == before);
    char *range = reserved(PAGE);
    OK(aclrtMapMem(range, PAGE, 0, handle, 0));
    OK(aclrtMemcpy(host, 64, range, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("shared", isFilled(host, 17, 64));
    OK(aclrtMemset(range, 64, 18, 64));
    OK(aclrtUnmapMem(range));
    OK(aclrtFreePhysical(handle));
    OK(aclrtReleaseMemAddress(range));
    EXPECT("done", write(out, "d", 1) == 1);
    return 0;
}

int main(int argc, char **argv)
{
    OK(aclInit(NULL));
    if (argc > 3) {
        return import(argv[1], atoi(argv[2]), atoi(argv[3]));
    }
    OK(aclrtSetDevice(0));
    aclrtDrvMemHandle handle = physical(PAGE), same = NULL;
    uint64_t share = 0, again = 0;
    char *range = reserved(PAGE), text[32], host[64];
    OK(aclrtMapMem(range, PAGE, 0, handle, 0));
    OK(aclrtMemset(range, PAGE, 17, PAGE));
    OK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, ACL_RT_VMM_EXPORT_FLAG_DEFAULT, &share));
    EXPECT("reference: one to one",
           aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &again) != ACL_SUCCESS);
    EXPECT("driver: the exporter can't import", aclrtMemImportFromShareableHandle(share, 0, &same) != ACL_SUCCESS);
    int in[2], out[2], status = -1;
    EXPECT("set-up", pipe(in) == 0 && pipe(out) == 0);
    snprintf(text, sizeof text, "%llx", (unsigned long long)share);
    int32_t child = run(argv[0], text, in, out);
    await(out[0]);
    uint64_t v2 = share;
    int32_t nobody = 1;
    OK(aclrtMemSetPidToShareableHandleV2(&v2, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &nobody, 1));
    OK(aclrtMemSetPidToShareableHandle(share, &child, 1));
    EXPECT("go", write(in[1], "g", 1) == 1);
    await(out[0]);
    EXPECT("the other process", wait(&status) == child && status == 0);
    OK(aclrtMemcpy(host, 64, range, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("shared both ways", isFilled(host, 18, 64));
    OK(aclrtUnmapMem(range));
    OK(aclrtFreePhysical(handle));
    EXPECT("reference: destroyed with the handle", aclrtMemSetPidToShareableHandle(share, &child, 1) != ACL_SUCCESS);
    return 0;
}
