// A thread that is to be cancelled, or a runtime that throws, in calls that the program never makes: those of a tool for guards. The thread goes on to
// the program's own cancellation point, and sees no exception. The argument: `cancel` or `throw`.
#include <dlfcn.h>
#include <exception>
#include <pthread.h>
#include <stdexcept>
extern "C" {
#include "odd.h"
}

static bool throws;
static int inside_others;

static void inside(const char *call) {
    for (const char *own : {"aclrtMalloc", "aclrtFree", "aclrtSetDevice", "aclrtPeekAtLastError", "aclrtGetLastError"}) {
        if (strcmp(call, own) == 0) {
            return;
        }
    }
    inside_others++;
    bool is_new = strstr(call, "Reserve") != NULL || strstr(call, "Physical") != NULL || strcmp(call, "aclrtMapMem") == 0;
    if (throws && !is_new) {
        throw std::runtime_error(call);
    }
    pthread_testcancel();
}

static void *work(void *) {
    aclrtSetDevice(0);
    if (!throws) {
        pthread_cancel(pthread_self());
    }
    for (int i = 0; i < 100; i++) {
        void *block = NULL;
        int status = aclrtMalloc(&block, 64 + 512 * (i % 5), ACL_MEM_MALLOC_HUGE_FIRST);
        int released = aclrtFree(block);
        if (status != 0 || released != 0) {
            printf("%d: %d %d\n", i, status, released);
        }
    }
    printf("all are released, %d exceptions under way\n", std::uncaught_exceptions());
    pthread_testcancel();
    return NULL;
}

int main(int, char **arguments) {
    throws = strcmp(arguments[1], "throw") == 0;
    *(void (**)(const char *))dlsym(RTLD_DEFAULT, "odd_inside") = inside;
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, &result);
    puts(result == PTHREAD_CANCELED ? "cancelled" : "ended");
    fprintf(stderr, "own calls: %d\n", inside_others);
    return 0;
}
