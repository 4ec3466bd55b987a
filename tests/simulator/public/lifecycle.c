/* aclInit and aclFinalize, their watchers, versions and errors. */
#include "../public.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t references;
/* Only a finalised process is refused a second finalise: one before the first aclInit succeeds. */
static bool finalised;

struct watcher {
    struct watcher *next;
    aclRegisterCallbackType type;
    aclInitCallbackFunc on_init;
    aclFinalizeCallbackFunc on_finalize;
    void *data;
};

static struct watcher *watchers;

/* A copy, because a watcher may register or remove watchers. */
static aclError tell(bool init, const char *config, size_t size)
{
    aclError code = ACL_SUCCESS;
    pthread_mutex_lock(&lock);
    size_t count = 0;
    for (struct watcher *at = watchers; at; at = at->next) {
        count++;
    }
    struct watcher *copies = calloc(count ? count : 1, sizeof *copies);
    size_t copied = 0;
    for (struct watcher *at = watchers; at && copies; at = at->next) {
        copies[copied++] = *at;
    }
    pthread_mutex_unlock(&lock);
    for (size_t i = copied; i-- > 0 && code == ACL_SUCCESS;) {
        if (init && copies[i].on_init) {
            code = copies[i].on_init(config, size, copies[i].data);
        } else if (!init && copies[i].on_finalize) {
            code = copies[i].on_finalize(copies[i].data);
        }
    }
    free(copies);
    return code;
}

/* The first initialization's configuration; a later one must have the same (acl.cpp, HandleConfig). */
static char *configuration;

static bool isAsBefore(const char *bytes)
{
    pthread_mutex_lock(&lock);
    bool same = !bytes || !configuration || strcmp(bytes, configuration) == 0;
    if (same && bytes && !configuration) {
        configuration = strdup(bytes);
    }
    pthread_mutex_unlock(&lock);
    return same;
}

aclError aclInit(const char *configPath)
{
    ENTER();
    pthread_mutex_lock(&lock);
    bool repeated = references > 0;
    references += repeated;
    pthread_mutex_unlock(&lock);
    REQUIRE(!repeated, ACL_ERROR_REPEAT_INITIALIZE);
    char *bytes = NULL;
    size_t size = 0;
    aclError code = configPath && *configPath ? aclsimConfigRead(configPath, &bytes, &size) : ACL_SUCCESS;
    code = code == ACL_SUCCESS && !isAsBefore(bytes) ? ACL_ERROR_INVALID_PARAM : code;
    code = code == ACL_SUCCESS ? tell(true, bytes, size) : code;
    free(bytes);
    REQUIRE(code == ACL_SUCCESS, code);
    pthread_mutex_lock(&lock);
    references = 1;
    finalised = false;
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

static aclError finish(void)
{
    aclError code = tell(false, NULL, 0);
    if (code == ACL_SUCCESS) {
        pthread_mutex_lock(&lock);
        references = 0;
        finalised = true;
        pthread_mutex_unlock(&lock);
    }
    return code;
}

aclError aclFinalize(void)
{
    ENTER();
    pthread_mutex_lock(&lock);
    bool repeated = finalised;
    pthread_mutex_unlock(&lock);
    REQUIRE(!repeated, ACL_ERROR_REPEAT_FINALIZE);
    ANSWER(finish());
}

aclError aclFinalizeReference(uint64_t *refCount)
{
    ENTER();
    pthread_mutex_lock(&lock);
    uint64_t before = references;
    references -= before > 1;
    uint64_t after = references;
    pthread_mutex_unlock(&lock);
    aclError code = before == 1 ? finish() : before > 1 ? ACL_SUCCESS : ACL_ERROR_REPEAT_FINALIZE;
    if (refCount) {
        *refCount = before == 1 && code == ACL_SUCCESS ? 0 : after;
    }
    ANSWER(code);
}

static aclError watch(aclRegisterCallbackType type, aclInitCallbackFunc on_init, aclFinalizeCallbackFunc on_finalize,
                      void *data)
{
    struct watcher *watcher = calloc(1, sizeof *watcher);
    if (!watcher) {
        return ACL_ERROR_BAD_ALLOC;
    }
    pthread_mutex_lock(&lock);
    *watcher = (struct watcher){watchers, type, on_init, on_finalize, data};
    watchers = watcher;
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

static aclError unwatch(aclRegisterCallbackType type, aclInitCallbackFunc on_init, aclFinalizeCallbackFunc on_finalize)
{
    aclError code = ACL_ERROR_INVALID_PARAM;
    pthread_mutex_lock(&lock);
    for (struct watcher **at = &watchers; *at; at = &(*at)->next) {
        struct watcher *gone = *at;
        if (gone->type == type && gone->on_init == on_init && gone->on_finalize == on_finalize) {
            *at = gone->next;
            free(gone);
            code = ACL_SUCCESS;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void *userData)
{
    ENTER();
    REQUIRE(cbFunc, ACL_ERROR_INVALID_PARAM);
    ANSWER(watch(type, cbFunc, NULL, userData));
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc)
{
    ENTER();
    REQUIRE(cbFunc, ACL_ERROR_INVALID_PARAM);
    ANSWER(unwatch(type, cbFunc, NULL));
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void *userData)
{
    ENTER();
    REQUIRE(cbFunc, ACL_ERROR_INVALID_PARAM);
    ANSWER(watch(type, NULL, cbFunc, userData));
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc)
{
    ENTER();
    REQUIRE(cbFunc, ACL_ERROR_INVALID_PARAM);
    ANSWER(unwatch(type, NULL, cbFunc));
}

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
    ENTER();
    REQUIRE(majorVersion && minorVersion && patchVersion, ACL_ERROR_INVALID_PARAM);
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return ACL_SUCCESS;
}

const char *aclGetRecentErrMsg(void)
{
    return aclsimMessage();
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
    return level == ACL_RT_THREAD_LEVEL ? aclsimLastError(false) : ACL_ERROR_INVALID_PARAM;
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
    return level == ACL_RT_THREAD_LEVEL ? aclsimLastError(true) : ACL_ERROR_INVALID_PARAM;
}

/* The real log goes to files under the user's home; a simulator writes none. */
void aclAppLogWithArgs(aclLogLevel logLevel, const char *func, const char *file, uint32_t line, const char *fmt, va_list args)
{
    if (logLevel < ACL_ERROR || !fmt) {
        return;
    }
    fprintf(stderr, "[ERROR] %s:%u %s: ", file ? file : "?", line, func ? func : "?");
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
}

void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line, const char *fmt, ...)
{
    va_list arguments;
    va_start(arguments, fmt);
    aclAppLogWithArgs(logLevel, func, file, line, fmt, arguments);
    va_end(arguments);
}
