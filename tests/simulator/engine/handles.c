#define _GNU_SOURCE
#include "handles.h"

#include <pthread.h>
#include <search.h>
#include <stddef.h>
#include <stdint.h>

static void *trees[HANDLE_KINDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int byAddress(const void *left, const void *right)
{
    return ((uintptr_t)left > (uintptr_t)right) - ((uintptr_t)left < (uintptr_t)right);
}

bool handleAdd(enum handle_kind kind, const void *handle)
{
    pthread_mutex_lock(&lock);
    bool added = tsearch(handle, &trees[kind], byAddress) != NULL;
    pthread_mutex_unlock(&lock);
    return added;
}

bool handleDrop(enum handle_kind kind, const void *handle)
{
    pthread_mutex_lock(&lock);
    bool dropped = tdelete(handle, &trees[kind], byAddress) != NULL;
    pthread_mutex_unlock(&lock);
    return dropped;
}

bool handleAlive(enum handle_kind kind, const void *handle)
{
    pthread_mutex_lock(&lock);
    bool alive = tfind(handle, &trees[kind], byAddress) != NULL;
    pthread_mutex_unlock(&lock);
    return alive;
}
