/* One lock for the whole driver, what a thread has, contexts, and the checks at the start of each call. */
#ifndef CUSIM_STATE_H
#define CUSIM_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../simulator/engine/handles.h"
#include "cuda.h"

#define EXPORT __attribute__((visibility("default")))

#define MAX_DEVICES 16
#define MAX_CONTEXT_DEPTH 64

/* Of every structure of the driver. Workers release it while they run work. */
extern pthread_mutex_t driver_lock;

struct CUctx_st {
    int device;
    unsigned flags;
    bool is_primary;
    bool is_primary_active;
    unsigned retained;               /* of a primary context */
    uint64_t id;
    CUresult error;                  /* a fault of the device: it stays until the context ends */
    struct CUstream_st *streams;     /* all of them, the legacy one first */
    size_t limits[3];
};

struct thread {
    CUcontext stack[MAX_CONTEXT_DEPTH];
    int depth;
    uint64_t number;                 /* never 0 and never reused */
    bool runs_host_function;
};

struct thread *threadSelf(void);
CUcontext contextCurrent(void);
void contextSetCurrent(CUcontext context);
/* NULL without memory. */
CUcontext contextPrimary(int device);
CUresult contextActivate(CUcontext context);
CUcontext contextNew(int device, unsigned flags);
/* Waits for its work, then drops its streams, modules and memory. */
void contextEnd(CUcontext context);
bool contextAlive(CUcontext context);

bool isInitialized(void);
void setInitialized(void);
int deviceCount(void);
uint64_t deviceCapacity(void);

/* Each takes the lock, whatever it answers, and `leave` gives it back. */
CUresult enterAnywhere(void);        /* the driver is initialized, and this is no host function */
CUresult enter(CUcontext *context);  /* and the thread has a context without a fault */
CUresult leave(CUresult code);

#endif
