/* mstx for programs that run on the simulator: like the vendor's header, the implementation is in it, and each shared object that
 * includes it has a table of its own. Without a tool every call does nothing. Needs -ldl before glibc 2.34.
 *
 * A tool is looked for at the first call: `InitInjectionMstx` of the library that MSTX_INJECTION_PATH names, or, without that
 * variable or that library, of the whole program. */
#ifndef ACLSIM_MSTX_H
#define ACLSIM_MSTX_H
#ifndef MSTX_DECLSPEC
#define MSTX_DECLSPEC __attribute__((unused)) static
#endif
#include "mstx/declarations.h"
#include <dlfcn.h>
#include <stdlib.h>

/* The calls: module, index, result, name, parameters, arguments. */
#define ACLSIM_MSTX_CALLS(X)                                                                                                       \
    X(core, 1, void, mstxMarkA, (const char *message, void *stream), (message, stream))                                            \
    X(core, 2, mstxRangeId, mstxRangeStartA, (const char *message, void *stream), (message, stream))                               \
    X(core, 3, void, mstxRangeEnd, (mstxRangeId range), (range))                                                                   \
    X(core, 4, void, mstxGetToolId, (uint64_t * id), (id))                                                                         \
    X(domain, 1, mstxDomainHandle_t, mstxDomainCreateA, (const char *name), (name))                                                \
    X(domain, 2, void, mstxDomainDestroy, (mstxDomainHandle_t domain), (domain))                                                   \
    X(domain, 3, void, mstxDomainMarkA, (mstxDomainHandle_t domain, const char *message, void *stream), (domain, message, stream)) \
    X(domain, 4, mstxRangeId, mstxDomainRangeStartA, (mstxDomainHandle_t domain, const char *message, void *stream),               \
      (domain, message, stream))                                                                                                   \
    X(domain, 5, void, mstxDomainRangeEnd, (mstxDomainHandle_t domain, mstxRangeId range), (domain, range))                        \
    X(memory, 1, mstxMemHeapHandle_t, mstxMemHeapRegister, (mstxDomainHandle_t domain, mstxMemHeapDesc_t const *desc),             \
      (domain, desc))                                                                                                              \
    X(memory, 2, void, mstxMemHeapUnregister, (mstxDomainHandle_t domain, mstxMemHeapHandle_t heap), (domain, heap))               \
    X(memory, 3, void, mstxMemRegionsRegister, (mstxDomainHandle_t domain, mstxMemRegionsRegisterBatch_t const *desc),             \
      (domain, desc))                                                                                                              \
    X(memory, 4, void, mstxMemRegionsUnregister, (mstxDomainHandle_t domain, mstxMemRegionsUnregisterBatch_t const *desc),         \
      (domain, desc))                                                                                                              \
    X(memory, 5, void, mstxMemPermissionsAssign, (mstxDomainHandle_t domain, mstxMemPermissionsAssignBatch_t const *desc),         \
      (domain, desc))

enum { ACLSIM_MSTX_MOST = 5 };

/* This shared object's own: the tool writes into `functions` through the entries of the three tables. */
static struct {
    int is_ready;
    mstxFuncPointer functions[3][ACLSIM_MSTX_MOST + 1];
    mstxFuncPointer *tables[3][ACLSIM_MSTX_MOST + 1];
} aclsim_mstx;

enum { aclsim_mstx_core, aclsim_mstx_domain, aclsim_mstx_memory };

static int aclsim_mstx_table(mstxFuncModule module, mstxFuncTable *table, unsigned int *size) {
    if (module < MSTX_API_MODULE_CORE || module > MSTX_API_MODULE_CORE_MEM || table == NULL || size == NULL) return 1;
    *table = aclsim_mstx.tables[module - MSTX_API_MODULE_CORE];
    *size = module == MSTX_API_MODULE_CORE ? 4 : ACLSIM_MSTX_MOST;
    return 0;
}

static void aclsim_mstx_begin(void) {
    if (__atomic_exchange_n(&aclsim_mstx.is_ready, 1, __ATOMIC_ACQ_REL)) return;
    for (int module = 0; module < 3; module++)
        for (int index = 1; index <= ACLSIM_MSTX_MOST; index++)
            aclsim_mstx.tables[module][index] = &aclsim_mstx.functions[module][index];
    const char *path = getenv("MSTX_INJECTION_PATH");
    void *tool = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    int (*init)(mstxGetModuleFuncTableFunc) = (int (*)(mstxGetModuleFuncTableFunc))dlsym(tool, "InitInjectionMstx");
    if (init) init(aclsim_mstx_table);
}

#define ACLSIM_MSTX_DEFINE(module, index, result, name, parameters, arguments)                                          \
    MSTX_DECLSPEC result name parameters {                                                                              \
        aclsim_mstx_begin();                                                                                            \
        mstxFuncPointer function = __atomic_load_n(&aclsim_mstx.functions[aclsim_mstx_##module][index], __ATOMIC_ACQUIRE); \
        if (function == NULL) return (result)0;                                                                         \
        return ((result(*) parameters)function)arguments;                                                               \
    }
ACLSIM_MSTX_CALLS(ACLSIM_MSTX_DEFINE)
#undef ACLSIM_MSTX_DEFINE
#endif
