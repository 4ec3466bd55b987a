/* Shared buffers: counted data behind handles, handles in chains. */
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "handles.h"
#include "mbuf.h"

#define USER_DATA 96u
#define LONGEST_CHAIN 128u
#define MOST_BYTES (4ull << 30)

struct data {
    struct data *next; /* of all */
    unsigned handles;
    void *address;
    uint64_t size;
};

struct buffer {
    struct data *data;
    uint64_t length;
    struct buffer *next, *before; /* in a chain */
    char user[USER_DATA];
};

static struct data *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool mbufBegins(uintptr_t address)
{
    pthread_mutex_lock(&lock);
    struct data *at = all;
    while (at && (uintptr_t)at->address != address) {
        at = at->next;
    }
    pthread_mutex_unlock(&lock);
    return at != NULL;
}

/* The lock is held. */
static void forget(struct data *data)
{
    struct data **link = &all;
    while (*link != data) {
        link = &(*link)->next;
    }
    *link = data->next;
    struct heap *heap = heapOf((uintptr_t)data->address);
    if (heap) {
        heapRelease(heap, (uintptr_t)data->address);
    }
    free(data);
}

static aclError handleFor(struct data *data, aclrtMbuf *handle)
{
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer || !handleAdd(HANDLE_MBUF, buffer)) {
        free(buffer);
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    buffer->data = data;
    data->handles++;
    *handle = buffer;
    return ACL_SUCCESS;
}

aclError rtMbufAlloc(aclrtMbuf *handle, uint64_t size)
{
    struct data *data = size && size <= MOST_BYTES ? calloc(1, sizeof *data) : NULL;
    if (!data) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    data->size = size;
    aclError code = rtMalloc(&data->address, size, ACL_MEM_MALLOC_HUGE_FIRST, 0);
    if (code == ACL_SUCCESS) {
        pthread_mutex_lock(&lock);
        data->next = all;
        all = data;
        code = handleFor(data, handle);
        if (code != ACL_SUCCESS) {
            forget(data);
        }
        pthread_mutex_unlock(&lock);
        return code;
    }
    free(data);
    return code;
}

/* A chain is freed by its head only (driver ef377e95). */
aclError rtMbufFree(aclrtMbuf handle)
{
    pthread_mutex_lock(&lock);
    bool head = handleAlive(HANDLE_MBUF, handle) && !((struct buffer *)handle)->before;
    if (!head || !handleDrop(HANDLE_MBUF, handle)) {
        pthread_mutex_unlock(&lock);
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    for (struct buffer *at = handle, *next; at; at = next) {
        next = at->next;
        if (--at->data->handles == 0) {
            forget(at->data);
        }
        if (at != handle) {
            handleDrop(HANDLE_MBUF, at);
        }
        free(at);
    }
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

aclError rtMbufGetBuffAddr(aclrtMbuf handle, void **address, uint64_t *size)
{
    const struct buffer *buffer = handle;
    if (!handleAlive(HANDLE_MBUF, handle)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    *address = buffer->data->address;
    *size = buffer->data->size;
    return ACL_SUCCESS;
}

aclError rtMbufSetDataLen(aclrtMbuf handle, uint64_t length)
{
    struct buffer *buffer = handle;
    if (!handleAlive(HANDLE_MBUF, handle) || length > buffer->data->size) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    buffer->length = length;
    return ACL_SUCCESS;
}

aclError rtMbufGetDataLen(aclrtMbuf handle, uint64_t *length)
{
    const struct buffer *buffer = handle;
    if (!handleAlive(HANDLE_MBUF, handle)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    *length = buffer->length;
    return ACL_SUCCESS;
}

aclError rtMbufGetPrivInfo(aclrtMbuf handle, void **address, uint64_t *size)
{
    struct buffer *buffer = handle;
    if (!handleAlive(HANDLE_MBUF, handle)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    *address = buffer->user;
    *size = USER_DATA;
    return ACL_SUCCESS;
}

aclError rtMbufCopyBufRef(aclrtMbuf handle, aclrtMbuf *copy)
{
    const struct buffer *buffer = handle;
    if (!handleAlive(HANDLE_MBUF, handle)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    pthread_mutex_lock(&lock);
    aclError code = handleFor(buffer->data, copy);
    pthread_mutex_unlock(&lock);
    return code;
}

static uint32_t chainLength(const struct buffer *head)
{
    uint32_t length = 0;
    for (; head; head = head->next) {
        length++;
    }
    return length;
}

aclError rtMbufChainAppend(aclrtMbuf head, aclrtMbuf handle)
{
    if (!handleAlive(HANDLE_MBUF, head) || !handleAlive(HANDLE_MBUF, handle) || head == handle) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    pthread_mutex_lock(&lock);
    struct buffer *last = head, *more = handle;
    bool heads = !last->before && !more->before;
    bool fits = heads && chainLength(head) + chainLength(handle) <= LONGEST_CHAIN;
    while (last->next) {
        last = last->next;
    }
    if (fits) {
        last->next = more;
        more->before = last;
    }
    pthread_mutex_unlock(&lock);
    return fits ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

aclError rtMbufChainGetMbufNum(aclrtMbuf head, uint32_t *count)
{
    if (!handleAlive(HANDLE_MBUF, head)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    pthread_mutex_lock(&lock);
    *count = chainLength(head);
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

aclError rtMbufChainGetMbuf(aclrtMbuf head, uint32_t index, aclrtMbuf *handle)
{
    if (!handleAlive(HANDLE_MBUF, head)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    pthread_mutex_lock(&lock);
    struct buffer *at = head;
    for (; at && index; index--) {
        at = at->next;
    }
    pthread_mutex_unlock(&lock);
    if (!at) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    *handle = at;
    return ACL_SUCCESS;
}
