/* Devices, their contexts, and which of them the calling thread works in. */
#ifndef ACLSIM_CONTEXT_H
#define ACLSIM_CONTEXT_H

#include "heap.h"

struct stream;

struct context {
    int32_t device;
    bool primary;
    _Atomic bool alive;
    struct stream *default_stream;   /* made when the context comes alive */
    struct stream *streams;          /* all of them, the default one included */
    int64_t options[4];              /* one more than the value of each aclSysParamOpt, 0 where none was set */
    struct context *next;            /* contexts are never freed: a stale handle stays readable */
};

struct device {
    unsigned set_count;              /* aclrtSetDevice minus aclrtResetDevice */
    unsigned contexts;               /* alive ones; at 0 the driver closes the device */
    bool closing;                    /* the last reset waits for the queues */
    struct context primary;
    struct heap heap;
};

/* NULL without a context: the caller answers ACL_ERROR_RT_CONTEXT_NULL. */
struct context *contextCurrent(void);
void contextEnter(struct context *context);
/* The topology lock is held: makes the default stream, opens the device if it is the first. */
aclError contextOpen(struct context *context);
/* Finishes the context's work and closes the device if it was the last. The lock is not
 * held: host functions may still call in. */
void contextClose(struct context *context);
/* Contexts that aclrtCreateContext made, dead ones included; the topology lock is held. */
struct context *contextsCreated(void);

struct device *deviceAt(int32_t id);
struct heap *heapPinned(void);
/* Opened at the first use; NULL if that fails. */
struct heap *heapManaged(void);
/* The heap whose window holds an address, or NULL. */
struct heap *heapOf(uintptr_t address);

/* ipc.c, registration.c: state that the driver drops when it closes a device. */
void ipcDrop(int32_t device);
void registrationsDrop(int32_t device);
/* Whether registered host memory holds an address, and whether that made it pinned. */
bool registrationHolds(uintptr_t address, bool *pinned);

/* Guards set counts, context lists and the stream lists of contexts. */
void topologyLock(void);
void topologyUnlock(void);

/* notice.c: tells the registered watchers. */
void noticeDevice(int32_t device, aclrtDeviceState state);
void noticeStream(struct stream *stream, aclrtStreamState state);

#endif
