/* Devices and queries about them. */
#include "../public.h"

aclError aclrtSetDevice(int32_t deviceId)
{
    ENTER();
    ANSWER(rtSetDevice(deviceId));
}

aclError aclrtResetDevice(int32_t deviceId)
{
    ENTER();
    ANSWER(rtDeviceReset(deviceId));
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
    ENTER();
    ANSWER(rtDeviceResetForce(deviceId));
}

aclError aclrtGetDevice(int32_t *deviceId)
{
    ENTER();
    REQUIRE(deviceId, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtGetDevice(deviceId));
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
    ENTER();
    REQUIRE(count, ACL_ERROR_INVALID_PARAM);
    *count = aclsimDeviceCount();
    return ACL_SUCCESS;
}

aclError aclrtSetTsDevice(aclrtTsId tsId)
{
    ENTER();
    ANSWER(tsId == ACL_TS_ID_AICORE || tsId == ACL_TS_ID_AIVECTOR ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM);
}

static bool isDevice(int64_t id)
{
    return id >= 0 && id < aclsimDeviceCount();
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
    ENTER();
    REQUIRE(deviceStatus, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isDevice(deviceId), ACL_ERROR_RT_INVALID_DEVICEID);
    *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)
{
    ENTER();
    const struct aclsim_soc *soc = aclsimSoc();
    REQUIRE(value, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isDevice(deviceId), ACL_ERROR_RT_INVALID_DEVICEID);
    switch (attr) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
        *value = 6;
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
        *value = soc->cube_cores;
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
        *value = soc->vector_cores;
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
        *value = 192 * 1024;
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
        *value = (int64_t)soc->memory_bytes;
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
        *value = 192 * 1024 * 1024;
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_PHY_CHIP_ID:
        *value = deviceId;
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_IS_VIRTUAL:
        *value = 0;
        return ACL_SUCCESS;
    default:
        ANSWER(ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    }
}

aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)
{
    ENTER();
    REQUIRE(deviceId != peerDeviceId, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isDevice(deviceId) && isDevice(peerDeviceId), ACL_ERROR_RT_INVALID_DEVICEID);
    REQUIRE(canAccessPeer, ACL_ERROR_RT_PARAM_INVALID); /* the acl layer leaves it to the runtime (memory.cpp) */
    *canAccessPeer = 1;
    return ACL_SUCCESS;
}

/* Of the current device and another one. Copies between them work whether or not access was enabled. */
static aclError peerAccess(int32_t peer)
{
    int32_t current = -1;
    aclError code = rtGetDevice(&current);
    if (code != ACL_SUCCESS) {
        return code;
    }
    return peer == current ? ACL_ERROR_INVALID_PARAM : isDevice(peer) ? ACL_SUCCESS : ACL_ERROR_RT_INVALID_DEVICEID;
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
    ENTER();
    REQUIRE(flags == 0, ACL_ERROR_FEATURE_UNSUPPORTED);
    ANSWER(peerAccess(peerDeviceId));
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
    ENTER();
    ANSWER(peerAccess(peerDeviceId));
}

aclError aclrtRegDeviceStateCallback(const char *regName, aclrtDeviceStateCallback callback, void *args)
{
    ENTER();
    REQUIRE(regName, ACL_ERROR_INVALID_PARAM);
    ANSWER(aclsimWatchDevices(regName, callback, args));
}

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
    ENTER();
    REQUIRE(runMode, ACL_ERROR_INVALID_PARAM);
    *runMode = aclsimSoc()->run_mode;
    return ACL_SUCCESS;
}

const char *aclrtGetSocName(void)
{
    return aclsimSoc()->name;
}

aclError aclrtSynchronizeDevice(void)
{
    ENTER();
    ANSWER(rtDeviceSynchronizeWithTimeout(-1));
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    ENTER();
    REQUIRE(timeout >= -1 && timeout != 0, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtDeviceSynchronizeWithTimeout(timeout));
}
