/* For the files that define public functions. */
#ifndef ACLSIM_PUBLIC_H
#define ACLSIM_PUBLIC_H

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"
#include "acl/dvpp/hi_dvpp.h"
#include "acl/ops/acl_dvpp.h"
#include "engine.h"
#include "exports.h"

/* One source for all topologies: in the split and the merged one, what is written as
 * aclrtMalloc is assembled as aclrtMallocImpl. */
#ifdef ACLSIM_SPLIT
#define ACLSIM_DECLARE(name) \
    extern __typeof__(name) name __asm__(#name "Impl") __attribute__((visibility("default")));
#else
#define ACLSIM_DECLARE(name) extern __typeof__(name) name __attribute__((visibility("default")));
#endif
MODELLED_EXPORTS(ACLSIM_DECLARE)

#define ACLSIM_DECLARE_APART(name) extern __typeof__(name) name __attribute__((visibility("default")));
DVPP_EXPORTS(ACLSIM_DECLARE_APART)
DVPP_MPI_EXPORTS(ACLSIM_DECLARE_APART)

/* configuration.c: reads a file of aclInit's or aclmdlSetDump's into memory that the caller frees, or only checks it. */
aclError aclsimConfigRead(const char *path, char **bytes, size_t *size);
aclError aclsimConfigChecked(const char *path);

/* First line of a public function: the failure that ACLSIM_FAIL asks for. */
#define ENTER() \
    do { \
        aclError injected = aclsimInjected(__func__); \
        if (injected != ACL_SUCCESS) { \
            return aclsimFailed(__func__, injected); \
        } \
    } while (0)

/* Last line: remembers a failure for aclGetRecentErrMsg; success passes through. */
#define ANSWER(code) return aclsimFailed(__func__, (code))

#define REQUIRE(condition, code) \
    do { \
        if (!(condition)) { \
            return aclsimRefused(__func__, #condition, (code)); \
        } \
    } while (0)

#endif
