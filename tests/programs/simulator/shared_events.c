//@ run
/* Events and notifies of another process, which is this program started again. Sources: api_error.cc, event.cpp and notify.cpp of
 * the runtime. */
#include <sys/wait.h>

#include "expect.h"

static aclrtStream stream;

static void prepare(void)
{
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
}

static int status_of(pid_t child)
{
    int status;
    EXPECT("set-up", waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static pid_t start(char **arguments)
{
    pid_t child = fork();
    if (child == 0) {
        execv("/proc/self/exe", arguments);
        _exit(127);
    }
    return child;
}

/* The other process: waits on its own stream for the record, then gives the notify. */
static int answer(const char *event_name, const char *notify_name)
{
    aclrtIpcEventHandle handle = {{0}};
    aclrtEvent event;
    aclrtNotify notify;
    prepare();
    memcpy(handle.reserved, event_name, strlen(event_name));
    OK(aclrtIpcOpenEventHandle(handle, &event));
    OK(aclrtStreamWaitEvent(stream, event));
    OK(aclrtNotifyImportByKey(&notify, notify_name, 0));
    OK(aclrtRecordNotify(notify, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyNotify(notify));
    OK(aclrtDestroyEvent(event));
    return 0;
}

static void acrossProcesses(void)
{
    aclrtEvent event;
    aclrtNotify notify;
    aclrtIpcEventHandle handle;
    char name[sizeof handle.reserved + 1] = {0}, key[65];
    sem_t gate;
    sem_init(&gate, 0, 0);
    OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC));
    OK(aclrtIpcGetEventHandle(event, &handle));
    memcpy(name, handle.reserved, sizeof handle.reserved);
    OK(aclrtCreateNotify(&notify, 0));
    OK(aclrtNotifyGetExportKey(notify, key, sizeof key, 2));
    OK(aclrtLaunchHostFunc(stream, waitForGate, &gate));
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtWaitAndResetNotify(notify, stream, 0));
    pid_t child = start((char *[]){"answer", name, key, NULL});
    EXPECT_CODE("the record comes first", ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 20));
    sem_post(&gate);
    OK(aclrtSynchronizeStream(stream));
    EXPECT("the other process went on", status_of(child) == 0);
    OK(aclrtDestroyNotify(notify));
    OK(aclrtDestroyEvent(event));
}

static void refusals(void)
{
    aclrtEvent event, opened;
    aclrtNotify notify, imported;
    aclrtIpcEventHandle handle = {{0}};
    char key[65];
    OK(aclrtCreateEvent(&event));
    EXPECT_CODE("event.cpp", ACL_ERROR_INVALID_PARAM, aclrtIpcGetEventHandle(event, NULL));
    EXPECT("api_error.cc: not made for it", aclrtIpcGetEventHandle(event, &handle) != ACL_SUCCESS);
    EXPECT_CODE("event.cpp", ACL_ERROR_INVALID_PARAM, aclrtIpcOpenEventHandle(handle, NULL));
    EXPECT("no such event", aclrtIpcOpenEventHandle(handle, &opened) != ACL_SUCCESS);
    OK(aclrtCreateNotify(&notify, 0));
    EXPECT_CODE("notify.cpp", ACL_ERROR_INVALID_PARAM, aclrtNotifyImportByKey(&imported, NULL, 0));
    EXPECT_CODE("api_error.cc, IpcOpenNotify: flags", ACL_ERROR_RT_PARAM_INVALID, aclrtNotifyImportByKey(&imported, "00", 4));
    EXPECT_CODE("no such key", ACL_ERROR_RT_PARAM_INVALID, aclrtNotifyImportByKey(&imported, "00", 0));
    EXPECT_CODE("api_error.cc, IpcSetNotifyName: room", ACL_ERROR_RT_PARAM_INVALID, aclrtNotifyGetExportKey(notify, key, 0, 0));
    EXPECT_CODE("api_error.cc, IpcSetNotifyName: flags", ACL_ERROR_RT_PARAM_INVALID,
                aclrtNotifyGetExportKey(notify, key, sizeof key, 1));
    int32_t pid = getpid();
    EXPECT_CODE("api_error.cc, SetIpcNotifyPid", ACL_ERROR_RT_PARAM_INVALID, aclrtNotifySetImportPid(notify, &pid, 0));
    EXPECT_CODE("notify.cpp", ACL_ERROR_INVALID_PARAM, aclrtNotifySetImportPid(notify, NULL, 1));
    OK(aclrtDestroyNotify(notify));
    OK(aclrtDestroyEvent(event));
}

/* Only processes on the list may have it. */
static int stranger(const char *key)
{
    aclrtNotify notify;
    prepare();
    EXPECT("driver: the list of admitted processes", aclrtNotifyImportByKey(&notify, key, 0) != ACL_SUCCESS);
    return 0;
}

static void admitted(void)
{
    aclrtNotify notify;
    char key[65];
    int32_t pid = getpid();
    OK(aclrtCreateNotify(&notify, 0));
    OK(aclrtNotifyGetExportKey(notify, key, sizeof key, 0));
    OK(aclrtNotifySetImportPid(notify, &pid, 1));
    EXPECT("a stranger is refused", status_of(start((char *[]){"stranger", key, NULL})) == 0);
    OK(aclrtDestroyNotify(notify));
}

int main(int count, char **arguments)
{
    if (count == 3) {
        return answer(arguments[1], arguments[2]);
    }
    if (count == 2) {
        return stranger(arguments[1]);
    }
    prepare();
    acrossProcesses();
    refusals();
    admitted();
    return 0;
}
