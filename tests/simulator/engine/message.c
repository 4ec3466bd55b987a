/* The last failure of each thread, for aclrtGetLastError, and the texts of all, for aclGetRecentErrMsg. */
#define _GNU_SOURCE
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../engine.h"
#include "aclnn/acl_meta.h"

/* Which number and title the runtime gives a failure (error_manager/error_code.json): EH of the acl layer, EE of the runtime. */
static const struct kind {
    aclError code;
    const char *number, *title, *reason;
} kinds[] = {
    {ACL_ERROR_INVALID_PARAM, "EH0012", "Invalid_Argument", "an argument is invalid"},
    {ACL_ERROR_INVALID_FILE, "EH0003", "File_Operation_Error_Invalid_Path", "there is no such file"},
    {ACL_ERROR_PARSE_FILE, "EH0004", "File_Operation_Error", "the file is no JSON"},
    {ACL_ERROR_BAD_ALLOC, "EH0010", "Resource_Error_Insufficient_Host_Memory", "the host is out of memory"},
    {ACL_ERROR_RT_PARAM_INVALID, "EE1017", "Invalid_Argument", "an argument is invalid"},
    {ACL_ERROR_RT_INVALID_DEVICEID, "EE1003", "Invalid_Argument", "there is no such device"},
    {ACL_ERROR_RT_CONTEXT_NULL, "EE1018", "Invalid_Argument_API_Call_Sequence", "the thread has no context"},
    {ACL_ERROR_RT_STREAM_CONTEXT, "EE1010", "Execution_Error_Invalid_Context", "the stream belongs to another context"},
    {ACL_ERROR_RT_INVALID_HANDLE, "EE1017", "Invalid_Argument", "the handle is not alive"},
    {ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "EE1002", "Execution_Error_Stream_Synchronize_Timeout", "the time is up"},
    {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1005", "Not_Supported", "the device has no such feature"},
    {ACL_ERROR_RT_MEMORY_ALLOCATION, "EE1023", "Resource_Error", "the memory is used up"},
    {ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "EE1013", "Resource_Error_Insufficient_Host_Memory", "the host is out of memory"},
    {ACL_ERROR_RT_STREAM_CAPTURED, "EE1016", "Not_Supported", "the stream is being captured"},
    {ACLNN_ERR_PARAM_NULLPTR, "EZ1001", "AclNN_Parameter_Error", "an argument is NULL"},
    {ACLNN_ERR_PARAM_INVALID, "EZ1001", "AclNN_Parameter_Error", "an argument is invalid"},
    {ACL_ERROR_RT_EVENT_CAPTURED, "EE1016", "Not_Supported", "the event belongs to a capture"},
};
static const struct kind other = {0, "EE1019", "Execution_Error", "the task or the device failed"};

/* The first failure since the last query, the ones after it, and the text of that query. On the heap: thread-locals count against the
 * smallest stack that a program may ask for. */
struct texts {
    char first[640], rest[2048], text[8192];
};
static _Thread_local struct texts *texts;
static _Thread_local aclError last;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void makeKey(void)
{
    pthread_key_create(&key, free);
}

/* This thread's texts; NULL if there is no memory for them. */
static struct texts *ofThread(void)
{
    pthread_once(&once, makeKey);
    if (!texts && (texts = calloc(1, sizeof *texts))) {
        pthread_setspecific(key, texts);
    }
    return texts;
}

static const struct kind *kindOf(aclError code)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].code == code) {
            return &kinds[i];
        }
    }
    return &other;
}

/* A condition that is a name alone asks whether a pointer is NULL. */
static bool isName(const char *condition)
{
    size_t length = 0;
    while (isalnum((unsigned char)condition[length]) || condition[length] == '_') {
        length++;
    }
    return length > 0 && condition[length] == '\0';
}

static void now(char *to, size_t room)
{
    struct timespec time;
    struct tm local;
    char day[32];
    clock_gettime(CLOCK_REALTIME, &time);
    localtime_r(&time.tv_sec, &local);
    strftime(day, sizeof day, "%Y-%m-%d-%H:%M:%S", &local);
    snprintf(to, room, "%s.%03ld.%03ld", day, time.tv_nsec / 1000000, time.tv_nsec / 1000 % 1000);
}

/* Adds a message to this thread's texts, which are the result; NULL if there is no memory for them. */
static struct texts *remember(const char *title, const char *number, const char *message)
{
    struct texts *to = ofThread();
    if (!to) {
        return NULL;
    }
    if (to->first[0]) {
        size_t used = strlen(to->rest);
        snprintf(to->rest + used, sizeof to->rest - used, "        %s\n", message);
    } else {
        char time[64];
        now(time, sizeof time);
        snprintf(to->first, sizeof to->first, "[PID: %d] %s %s(%s): %s\n", (int)getpid(), time, title, number, message);
    }
    return to;
}

/* Either a condition that does not hold, or a text, or neither. */
static void report(const char *function, const char *condition, const char *text, aclError code)
{
    const struct kind *kind = kindOf(code);
    bool null = condition && isName(condition) && strcmp(condition, "false") != 0 && kind->reason == kinds[0].reason;
    const char *number = !null ? kind->number : code == ACL_ERROR_INVALID_PARAM ? "EH0008" : "EE1004";
    char message[448];
    if (text) {
        snprintf(message, sizeof message, "%s: %s.", function, text);
    } else if (null) {
        snprintf(message, sizeof message, "%s: %s is NULL.", function, condition);
    } else if (condition && kind->reason == kinds[0].reason) {
        snprintf(message, sizeof message, "%s: %s (`%s` is required).", function, kind->reason, condition);
    } else {
        snprintf(message, sizeof message, "%s: %s.", function, kind->reason);
    }
    struct texts *to = remember(null ? "Invalid_Argument_Null_Pointer" : kind->title, number, message);
    if (to) {
        size_t used = strlen(to->rest);
        snprintf(to->rest + used, sizeof to->rest - used, "        %s answers %d.\n", function, code);
    }
}

void aclsimDeviceSays(const char *text)
{
    (void)remember("Inner_Error", "EZ9999", text);
}

aclError aclsimFailed(const char *function, aclError code)
{
    return aclsimRefused(function, NULL, code);
}

aclError aclsimRefused(const char *function, const char *condition, aclError code)
{
    if (code != ACL_SUCCESS) {
        last = code;
        report(function, condition, NULL, code);
    }
    return code;
}

aclError aclsimRefusedFor(const char *function, const char *text, aclError code)
{
    last = code;
    report(function, NULL, text, code);
    return code;
}

/* New failures are prepended to the previous text, which is never cleared (acl.cpp, aclGetRecentErrMsg). */
const char *aclsimMessage(void)
{
    struct texts *all = texts;
    if (!all) {
        return NULL;
    }
    if (all->first[0]) {
        char fresh[sizeof all->first + sizeof all->rest + 64];
        int added = snprintf(fresh, sizeof fresh, "%sTraceBack (most recent call last):\n%s%s", all->first, all->rest, all->text[0] ? "\n" : "");
        size_t kept = strnlen(all->text, sizeof all->text - 1 - (size_t)added);
        memmove(all->text + added, all->text, kept);
        memcpy(all->text, fresh, (size_t)added);
        all->text[(size_t)added + kept] = '\0';
        all->first[0] = all->rest[0] = '\0';
    }
    return all->text[0] ? all->text : NULL;
}

aclError aclsimLastError(bool clear)
{
    aclError code = last;
    last = clear ? ACL_SUCCESS : last;
    return code;
}
