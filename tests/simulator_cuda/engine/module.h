/* Kernels: functions of the host, registered by name; modules name those that they have. */
#ifndef CUSIM_MODULE_H
#define CUSIM_MODULE_H

#include "cusim.h"
#include "state.h"

#define MAX_PARAMETERS 64

struct kernel {
    struct kernel *next;
    char *name;
    cusimFunction run;
    unsigned count;
    size_t sizes[MAX_PARAMETERS], offsets[MAX_PARAMETERS], total;
};

struct CUfunc_st {
    CUfunction next;
    CUmodule module;
    struct kernel *kernel;
};

struct CUmod_st {
    CUmodule next;
    CUcontext context;
    CUfunction functions;
};

CUresult moduleLoad(CUcontext context, const char *image, CUmodule *module);
void moduleEnd(CUmodule module);
void modulesForget(CUcontext context);

#endif
