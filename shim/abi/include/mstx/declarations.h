/* mstx, MindStudio's annotations: types, calls, and how a tool hooks the calls. Declared in our own words from its documentation (CANN
 * 8.3 to 9.1). The vendor's header is also the implementation, with a table in each shared object; the simulator's ms_tools_ext.h is
 * the same for programs built against it. */
#ifndef ACLSAN_MSTX_H
#define ACLSAN_MSTX_H
#include <stddef.h>
#include <stdint.h>

/* The types of the functions: the header that implements them gives each shared object its own. */
#ifndef MSTX_DECLSPEC
#define MSTX_DECLSPEC extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t mstxRangeId;
typedef struct mstxDomainRegistration_st *mstxDomainHandle_t; /* NULL: the global domain */
typedef struct mstxMemHeap_st *mstxMemHeapHandle_t;
typedef struct mstxMemRegion_st *mstxMemRegionHandle_t;

typedef enum { MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR = 0 } mstxMemHeapUsageType;
typedef enum { MSTX_MEM_TYPE_VIRTUAL_ADDRESS = 0 } mstxMemType;
typedef enum { MSTX_MEM_REGION_REF_TYPE_POINTER = 0, MSTX_MEM_REGION_REF_TYPE_HANDLE = 1 } mstxMemRegionRefType;

typedef struct {
    uint32_t deviceId;
    void const *ptr;
    uint64_t size;
} mstxMemVirtualRangeDesc_t;

typedef struct {
    mstxMemHeapUsageType usage;
    mstxMemType type;
    void const *typeSpecificDesc; /* a mstxMemVirtualRangeDesc_t */
} mstxMemHeapDesc_t;

typedef struct {
    mstxMemHeapHandle_t heap;
    mstxMemType regionType;
    size_t regionCount;
    void const *regionDescArray;                /* of mstxMemVirtualRangeDesc_t */
    mstxMemRegionHandle_t *regionHandleArrayOut; /* filled by the tool */
} mstxMemRegionsRegisterBatch_t;

typedef struct {
    mstxMemRegionRefType refType;
    union {
        void const *pointer;
        mstxMemRegionHandle_t handle;
    };
} mstxMemRegionRef_t;

typedef struct {
    size_t refCount;
    mstxMemRegionRef_t const *refArray;
} mstxMemRegionsUnregisterBatch_t;

/* Bits of flags: 1 readable, 2 writable, 4 shared between devices. */
typedef struct {
    uint32_t flags;
    mstxMemRegionRef_t region;
} mstxMemPermissionsAssignRegionsDesc_t;

typedef struct {
    size_t regionCount;
    mstxMemPermissionsAssignRegionsDesc_t const *regionDescArray;
} mstxMemPermissionsAssignBatch_t;

/* An entry of a table is the address of a pointer, to which the tool writes its function. `size` is the highest index. */
typedef void (*mstxFuncPointer)(void);
typedef mstxFuncPointer **mstxFuncTable;
typedef enum { MSTX_API_MODULE_CORE = 1, MSTX_API_MODULE_CORE_DOMAIN = 2, MSTX_API_MODULE_CORE_MEM = 3 } mstxFuncModule;
typedef int (*mstxGetModuleFuncTableFunc)(mstxFuncModule module, mstxFuncTable *table, unsigned int *size);

/* Exported by a tool, and called once by each shared object that includes the header; 0 if the tool has hooked anything. */
int InitInjectionMstx(mstxGetModuleFuncTableFunc get_table);

/* Module CORE: 1, 2, 3, 4. */
MSTX_DECLSPEC void mstxMarkA(const char *message, void *stream);
MSTX_DECLSPEC mstxRangeId mstxRangeStartA(const char *message, void *stream);
MSTX_DECLSPEC void mstxRangeEnd(mstxRangeId range);
MSTX_DECLSPEC void mstxGetToolId(uint64_t *id);

/* Module CORE_DOMAIN: 1 to 5. */
MSTX_DECLSPEC mstxDomainHandle_t mstxDomainCreateA(const char *name);
MSTX_DECLSPEC void mstxDomainDestroy(mstxDomainHandle_t domain);
MSTX_DECLSPEC void mstxDomainMarkA(mstxDomainHandle_t domain, const char *message, void *stream);
MSTX_DECLSPEC mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char *message, void *stream);
MSTX_DECLSPEC void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId range);

/* Module CORE_MEM: 1 to 5. */
MSTX_DECLSPEC mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t domain, mstxMemHeapDesc_t const *desc);
MSTX_DECLSPEC void mstxMemHeapUnregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap);
MSTX_DECLSPEC void mstxMemRegionsRegister(mstxDomainHandle_t domain, mstxMemRegionsRegisterBatch_t const *desc);
MSTX_DECLSPEC void mstxMemRegionsUnregister(mstxDomainHandle_t domain, mstxMemRegionsUnregisterBatch_t const *desc);
MSTX_DECLSPEC void mstxMemPermissionsAssign(mstxDomainHandle_t domain, mstxMemPermissionsAssignBatch_t const *desc);

#ifdef __cplusplus
}
#endif
#endif
