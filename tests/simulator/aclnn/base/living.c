#define _GNU_SOURCE /* PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP */
#include "living.h"

#include <pthread.h>
#include <stdlib.h>

#include "../objects.h"

struct entry {
    struct entry *next;
    max_align_t object[];
};

enum { BUCKETS = 256 };

/* A thread that uses an object holds it, too, and may end the object meanwhile. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct entry *buckets[BUCKETS];

static struct entry **bucketOf(const void *object)
{
    return &buckets[((uintptr_t)object >> 5) % BUCKETS];
}

void *objectNew(size_t size)
{
    struct entry *entry = calloc(1, sizeof *entry + size);
    if (entry == NULL) {
        return NULL;
    }
    pthread_mutex_lock(&lock);
    struct entry **bucket = bucketOf(entry->object);
    entry->next = *bucket;
    *bucket = entry;
    pthread_mutex_unlock(&lock);
    return entry->object;
}

static struct entry **find(const void *object)
{
    struct entry **at = bucketOf(object);
    while (*at != NULL && (*at)->object != object) {
        at = &(*at)->next;
    }
    return at;
}

bool objectEnd(const void *object)
{
    pthread_mutex_lock(&lock);
    struct entry **at = find(object);
    struct entry *entry = *at;
    if (entry != NULL) {
        *at = entry->next;
    }
    pthread_mutex_unlock(&lock);
    free(entry);
    return entry != NULL;
}

bool aclsimIsObject(const void *object)
{
    pthread_mutex_lock(&lock);
    bool found = *find(object) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

bool aclsimHold(const void *object)
{
    pthread_mutex_lock(&lock);
    if (object != NULL && *find(object) != NULL) {
        return true;
    }
    pthread_mutex_unlock(&lock);
    return false;
}

void aclsimHoldAll(void)
{
    pthread_mutex_lock(&lock);
}

void aclsimLetGo(void)
{
    pthread_mutex_unlock(&lock);
}
