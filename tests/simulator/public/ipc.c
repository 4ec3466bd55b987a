/* Device memory between processes: what the acl layer checks itself. */
#include "../public.h"

#include <unistd.h>

aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flags)
{
    ENTER();
    REQUIRE(devPtr && key, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsIpcMemGetExportKey(devPtr, size, key, (uint32_t)len, flags));
}

aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags)
{
    ENTER();
    REQUIRE(devPtr && key, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsIpcMemImportByKey(devPtr, key, flags));
}

aclError aclrtIpcMemClose(const char *key)
{
    ENTER();
    REQUIRE(key, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsIpcMemClose(key));
}

aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num)
{
    ENTER();
    REQUIRE(key && pid, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsIpcMemSetImportPid(key, pid, (int32_t)num));
}

/* Both are for A3 products only; no profile here is one. */
aclError aclrtIpcMemSetAttr(const char *key, aclrtIpcMemAttrType type, uint64_t attr)
{
    ENTER();
    bool known = type == ACL_RT_IPC_MEM_ATTR_ACCESS_LINK && attr <= 3;
    ANSWER(key && known ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_RT_PARAM_INVALID);
}

aclError aclrtIpcMemImportPidInterServer(const char *key, aclrtServerPid *serverPids, size_t num)
{
    ENTER();
    ANSWER(key && serverPids && num ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_RT_PARAM_INVALID);
}

aclError aclrtDeviceGetBareTgid(int32_t *pid)
{
    ENTER();
    REQUIRE(pid, ACL_ERROR_INVALID_PARAM);
    *pid = getpid();
    return ACL_SUCCESS;
}
