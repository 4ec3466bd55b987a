/* C++ overloads of some calls (since CANN 9.1; not included by acl.h). The typed allocations map to the calls with a configuration,
 * which add no padding: the same source line requests 32 bytes less than with `aclrtMalloc` itself. */
#ifndef ACLSAN_ACL_RT_API_H
#define ACLSAN_ACL_RT_API_H

#include "acl_rt.h"

#ifdef __cplusplus

template <typename Element>
inline aclError aclrtMalloc(Element **block, size_t bytes, aclrtMallocConfig *cfg = nullptr) {
    void **out = reinterpret_cast<void **>(block);
    return ::aclrtMallocWithCfg(out, bytes, ACL_MEM_MALLOC_HUGE_FIRST, cfg);
}

template <typename Element>
inline aclError aclrtMalloc(Element **block, size_t bytes, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg = nullptr) {
    return ::aclrtMallocWithCfg(reinterpret_cast<void **>(block), bytes, policy, cfg);
}

template <typename Element>
inline aclError aclrtMallocHost(Element **block, size_t bytes, aclrtMallocConfig *cfg = nullptr) {
    return ::aclrtMallocHostWithCfg(reinterpret_cast<void **>(block), bytes, cfg);
}

template <typename To, typename From>
inline aclError aclrtMemcpy(To *to, size_t room, const From *from, size_t bytes, aclrtMemcpyKind kind) {
    return ::aclrtMemcpy(static_cast<void *>(to), room, static_cast<const void *>(from), bytes, kind);
}

template <typename To, typename From>
inline aclError aclrtMemcpyAsync(To *to, size_t room, const From *from, size_t bytes, aclrtMemcpyKind kind,
                                 aclrtStream stream) {
    return ::aclrtMemcpyAsync(static_cast<void *>(to), room, static_cast<const void *>(from), bytes, kind, stream);
}

#endif

#endif
