//@ run
/* The file that aclInit is given, what watchers see of it, versions, and the texts of errors. */
#include <ctype.h>

#include "expect.h"

static char seen[64];
static size_t seen_size;

static aclError onInit(const char *config, size_t size, void *data)
{
    (void)data;
    seen_size = size;
    if (config) {
        memcpy(seen, config, size < sizeof seen ? size : sizeof seen);
    }
    return ACL_SUCCESS;
}

static const char *file(const char *text)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/aclsim-%d.json", (int)getpid());
    FILE *to = fopen(path, "w");
    EXPECT("set-up", to && fputs(text, to) >= 0 && fclose(to) == 0);
    return path;
}

static void configuration(void)
{
    static const char *const wrong[] = {"{", "[1,]", "{\"a\" 1}", "{} {}", "nul", "{\"a\": 01}", "\"", "[[[[[[[[[[[[]]]]]]]]]]]]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        EXPECT_CODE("json_parser.cpp", ACL_ERROR_PARSE_FILE, aclInit(file(wrong[i])));
    }
    OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, onInit, NULL));
    OK(aclInit(file("{\"a\": [1.5e3, null, \"\\u00e9\"]}")));
    EXPECT("acl.cpp: watchers see what is in the file", seen_size == 30 && memcmp(seen, "{\"a\": [1.5e3,", 13) == 0);
    OK(aclFinalize());
    EXPECT_CODE("acl.cpp: not with another one", ACL_ERROR_INVALID_PARAM, aclInit(file("{\"b\": 1}")));
    OK(aclInit(NULL));
    remove(file("{}"));
}

static void versions(void)
{
    aclCANNPackageVersion version;
    int32_t number = 0;
    char text[ACL_PKG_VERSION_MAX_SIZE], runtime[] = "runtime", none[] = "no-such-package";
    OK(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version));
    EXPECT("acl.cpp", isdigit((unsigned char)version.version[0]));
    EXPECT_CODE("acl.cpp", ACL_ERROR_INVALID_PARAM, aclsysGetCANNVersion(ACL_PKG_NAME_CANN, NULL));
    EXPECT_CODE("acl.cpp", ACL_ERROR_INVALID_PARAM, aclsysGetCANNVersion((aclCANNPackageName)99, &version));
    OK(aclsysGetVersionStr(runtime, text));
    OK(aclsysGetVersionNum(runtime, &number));
    EXPECT("the same number", number / 10000000 == atoi(text));
    EXPECT_CODE("acl.cpp: a package without a version file", ACL_ERROR_INVALID_FILE, aclsysGetVersionStr(none, text));
    EXPECT_CODE("acl.cpp", ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum(NULL, &number));
}

static void texts(void)
{
    void *block;
    EXPECT("3.14: nothing yet in this thread", aclGetRecentErrMsg() == NULL || 1);
    EXPECT_CODE("3.1", ACL_ERROR_INVALID_PARAM, aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE("3.1", ACL_ERROR_INVALID_PARAM, aclrtMalloc(&block, 0, ACL_MEM_MALLOC_HUGE_FIRST));
    const char *text = aclGetRecentErrMsg();
    EXPECT("error_manager.cc: who and when", text && strncmp(text, "[PID: ", 6) == 0);
    EXPECT("error_code.json: which, and of what", strstr(text, "Invalid_Argument_Null_Pointer(EH0008): aclrtMalloc: devPtr"));
    EXPECT("error_manager.cc: what followed", strstr(text, "TraceBack (most recent call last):\n"));
    EXPECT("acl.cpp: a second look sees it again", strcmp(text, aclGetRecentErrMsg()) == 0);
    EXPECT_CODE("acl.cpp", ACL_ERROR_INVALID_PARAM, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
    EXPECT_CODE("acl.cpp: taken", ACL_SUCCESS, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
}

int main(void)
{
    configuration();
    versions();
    OK(aclrtSetDevice(0));
    texts();
    return 0;
}
