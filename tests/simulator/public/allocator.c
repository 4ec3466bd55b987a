/* The program's own allocators, by stream. */
#include "../public.h"

#include <pthread.h>
#include <stdlib.h>

struct description {
    aclrtAllocator object;
    aclrtAllocatorAllocFunc allocate;
    aclrtAllocatorFreeFunc release;
    aclrtAllocatorAllocAdviseFunc advise;
    aclrtAllocatorGetAddrFromBlockFunc address;
};

struct registration {
    struct registration *next;
    aclrtStream stream;
    aclrtAllocatorDesc source;
    struct description copy;
};

static struct registration *registrations;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

aclrtAllocatorDesc aclrtAllocatorCreateDesc(void)
{
    return aclsimInjected(__func__) == ACL_SUCCESS ? calloc(1, sizeof(struct description)) : NULL;
}

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc)
{
    ENTER();
    REQUIRE(allocatorDesc, ACL_ERROR_INVALID_PARAM);
    free(allocatorDesc);
    return ACL_SUCCESS;
}

aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator)
{
    ENTER();
    REQUIRE(allocatorDesc && allocator, ACL_ERROR_INVALID_PARAM);
    ((struct description *)allocatorDesc)->object = allocator;
    return ACL_SUCCESS;
}

aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocFunc func)
{
    ENTER();
    REQUIRE(allocatorDesc && func, ACL_ERROR_INVALID_PARAM);
    ((struct description *)allocatorDesc)->allocate = func;
    return ACL_SUCCESS;
}

aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorFreeFunc func)
{
    ENTER();
    REQUIRE(allocatorDesc && func, ACL_ERROR_INVALID_PARAM);
    ((struct description *)allocatorDesc)->release = func;
    return ACL_SUCCESS;
}

aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocAdviseFunc func)
{
    ENTER();
    REQUIRE(allocatorDesc && func, ACL_ERROR_INVALID_PARAM);
    ((struct description *)allocatorDesc)->advise = func;
    return ACL_SUCCESS;
}

aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorGetAddrFromBlockFunc func)
{
    ENTER();
    REQUIRE(allocatorDesc && func, ACL_ERROR_INVALID_PARAM);
    ((struct description *)allocatorDesc)->address = func;
    return ACL_SUCCESS;
}

static struct registration **find(aclrtStream stream)
{
    struct registration **at = &registrations;
    while (*at && (*at)->stream != stream) {
        at = &(*at)->next;
    }
    return at;
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc)
{
    ENTER();
    const struct description *description = allocatorDesc;
    REQUIRE(stream && description, ACL_ERROR_INVALID_PARAM);
    bool complete = description->object && description->allocate && description->release && description->address;
    REQUIRE(complete, ACL_ERROR_INVALID_PARAM);
    pthread_mutex_lock(&lock);
    struct registration **at = find(stream);
    if (!*at) {
        *at = calloc(1, sizeof **at);
    }
    bool done = *at != NULL;
    if (done) {
        **at = (struct registration){(*at)->next, stream, allocatorDesc, *description};
    }
    pthread_mutex_unlock(&lock);
    ANSWER(done ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC);
}

aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc *allocatorDesc, aclrtAllocator *allocator,
                                   aclrtAllocatorAllocFunc *allocFunc, aclrtAllocatorFreeFunc *freeFunc,
                                   aclrtAllocatorAllocAdviseFunc *allocAdviseFunc,
                                   aclrtAllocatorGetAddrFromBlockFunc *getAddrFromBlockFunc)
{
    ENTER();
    REQUIRE(stream && allocatorDesc, ACL_ERROR_INVALID_PARAM);
    pthread_mutex_lock(&lock);
    const struct registration *found = *find(stream);
    struct registration copy = found ? *found : (struct registration){0};
    pthread_mutex_unlock(&lock);
    REQUIRE(found, ACL_ERROR_INVALID_PARAM);
    *allocatorDesc = copy.source;
    if (allocator) {
        *allocator = copy.copy.object;
    }
    if (allocFunc) {
        *allocFunc = copy.copy.allocate;
    }
    if (freeFunc) {
        *freeFunc = copy.copy.release;
    }
    if (allocAdviseFunc) {
        *allocAdviseFunc = copy.copy.advise;
    }
    if (getAddrFromBlockFunc) {
        *getAddrFromBlockFunc = copy.copy.address;
    }
    return ACL_SUCCESS;
}

/* A stream without a registration is no error. */
aclError aclrtAllocatorUnregister(aclrtStream stream)
{
    ENTER();
    REQUIRE(stream, ACL_ERROR_INVALID_PARAM);
    pthread_mutex_lock(&lock);
    struct registration **at = find(stream);
    struct registration *gone = *at;
    if (gone) {
        *at = gone->next;
    }
    pthread_mutex_unlock(&lock);
    free(gone);
    return ACL_SUCCESS;
}
