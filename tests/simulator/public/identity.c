/* Which device is which. Nothing hides or renumbers devices here, so all of a device's numbers are the same. */
#include "../public.h"

#include <stdio.h>
#include <string.h>

/* With the closing zero. */
#define BUS_NAME_ROOM 13

static bool isDevice(int64_t id)
{
    return id >= 0 && id < aclsimDeviceCount();
}

static aclError sameNumber(const char *function, int32_t id, int32_t *other)
{
    if (!other) {
        return aclsimFailed(function, ACL_ERROR_INVALID_PARAM);
    }
    if (!isDevice(id)) {
        return aclsimFailed(function, ACL_ERROR_RT_INVALID_DEVICEID);
    }
    *other = id;
    return ACL_SUCCESS;
}

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t *const logicDevId)
{
    ENTER();
    return sameNumber(__func__, userDevid, logicDevId);
}

aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t *const userDevid)
{
    ENTER();
    return sameNumber(__func__, logicDevId, userDevid);
}

aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t *const logicDevId)
{
    ENTER();
    return sameNumber(__func__, phyDevId, logicDevId);
}

aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t *const phyDevId)
{
    ENTER();
    return sameNumber(__func__, logicDevId, phyDevId);
}

aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t *const userDevId)
{
    ENTER();
    return sameNumber(__func__, phyDevId, userDevId);
}

aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t *const phyDevId)
{
    ENTER();
    return sameNumber(__func__, userDevId, phyDevId);
}

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid)
{
    ENTER();
    REQUIRE(uuid, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isDevice(deviceId), ACL_ERROR_RT_INVALID_DEVICEID);
    memset(uuid, 0, sizeof *uuid);
    snprintf(uuid->bytes, sizeof uuid->bytes, "aclsim-%02d", deviceId % 100);
    return ACL_SUCCESS;
}

/* As those of a board with eight: every second bus from c1 down. */
static void nameOnBus(int32_t device, char name[BUS_NAME_ROOM])
{
    snprintf(name, BUS_NAME_ROOM, "0000:%02x:00.0", (0xc1u - (unsigned)device * 2) & 0xffu);
}

aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char *pciBusId, int32_t len)
{
    ENTER();
    char name[BUS_NAME_ROOM];
    REQUIRE(pciBusId, ACL_ERROR_INVALID_PARAM);
    REQUIRE(deviceId >= 0, ACL_ERROR_RT_INVALID_DEVICEID);
    REQUIRE(len >= BUS_NAME_ROOM, ACL_ERROR_RT_PARAM_INVALID);
    REQUIRE(isDevice(deviceId), ACL_ERROR_RT_INVALID_DEVICEID);
    nameOnBus(deviceId, name);
    memcpy(pciBusId, name, sizeof name);
    return ACL_SUCCESS;
}

aclError aclrtDeviceGetByPCIBusId(const char *pciBusId, int32_t *deviceId)
{
    ENTER();
    REQUIRE(pciBusId && deviceId, ACL_ERROR_INVALID_PARAM);
    for (uint32_t i = 0; i < aclsimDeviceCount(); i++) {
        char name[BUS_NAME_ROOM];
        nameOnBus((int32_t)i, name);
        if (strcmp(name, pciBusId) == 0) {
            *deviceId = (int32_t)i;
            return ACL_SUCCESS;
        }
    }
    ANSWER(ACL_ERROR_RT_PARAM_INVALID);
}

aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t *value)
{
    ENTER();
    REQUIRE(value, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isDevice(deviceId) && isDevice(otherDeviceId), ACL_ERROR_RT_INVALID_DEVICEID);
    *value = ACL_RT_DEVS_TOPOLOGY_HCCS;
    return ACL_SUCCESS;
}

/* Copies between devices work whether or not access was enabled. */
aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t *status)
{
    ENTER();
    REQUIRE(status, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isDevice(deviceId) && isDevice(peerDeviceId), ACL_ERROR_RT_INVALID_DEVICEID);
    *status = 1;
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t *value)
{
    ENTER();
    REQUIRE(value, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isDevice(deviceId), ACL_ERROR_RT_INVALID_DEVICEID);
    bool known = devFeatureType == ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV ||
                 devFeatureType == ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV;
    REQUIRE(known, ACL_ERROR_RT_PARAM_INVALID);
    *value = 0;
    return ACL_SUCCESS;
}

/* Nobody else uses the chip: every query finds it idle. */
aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo)
{
    ENTER();
    REQUIRE(utilizationInfo && !utilizationInfo->utilizationExtend, ACL_ERROR_INVALID_PARAM);
    int32_t rate = isDevice(deviceId) ? 0 : -1;
    *utilizationInfo = (aclrtUtilizationInfo){rate, rate, rate, -1, NULL};
    return ACL_SUCCESS;
}

static aclError capabilities(uint32_t *values, const aclrtAtomicOperation *operations, uint32_t count, bool peers)
{
    const uint32_t words = ACL_RT_ATOMIC_CAPABILITY_SIGNED | ACL_RT_ATOMIC_CAPABILITY_SCALAR8 |
                           ACL_RT_ATOMIC_CAPABILITY_SCALAR16 | ACL_RT_ATOMIC_CAPABILITY_SCALAR32;
    for (uint32_t i = 0; i < count; i++) {
        if ((uint32_t)operations[i] > ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH) {
            return ACL_ERROR_RT_PARAM_INVALID;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        bool moved = operations[i] >= ACL_RT_ATOMIC_OPERATION_DMA_ADD && operations[i] <= ACL_RT_ATOMIC_OPERATION_DMA_MAX;
        values[i] = peers && moved ? words : 0;
    }
    return ACL_SUCCESS;
}

aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t *capabilities_, const aclrtAtomicOperation *operations,
                                              const uint32_t count, int32_t deviceId)
{
    ENTER();
    REQUIRE(capabilities_ && operations && count, ACL_ERROR_RT_PARAM_INVALID);
    REQUIRE(isDevice(deviceId), ACL_ERROR_RT_INVALID_DEVICEID);
    ANSWER(capabilities(capabilities_, operations, count, false));
}

aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t *capabilities_, const aclrtAtomicOperation *operations,
                                             const uint32_t count, int32_t srcDeviceId, int32_t dstDeviceId)
{
    ENTER();
    REQUIRE(capabilities_ && operations && count, ACL_ERROR_RT_PARAM_INVALID);
    REQUIRE(srcDeviceId != dstDeviceId, ACL_ERROR_RT_INVALID_DEVICEID);
    REQUIRE(isDevice(srcDeviceId) && isDevice(dstDeviceId), ACL_ERROR_RT_INVALID_DEVICEID);
    ANSWER(capabilities(capabilities_, operations, count, true));
}

/* Families of chips whose kernels run on one another: names that agree up to the number of the kind. */
static size_t family(const char *name)
{
    static const char *const all[] = {"Ascend910B", "Ascend910_93", "Ascend310P", "Ascend310B", "Ascend950", "Ascend910"};
    size_t at = 0;
    while (at < sizeof all / sizeof *all && strncmp(name, all[at], strlen(all[at])) != 0) {
        at++;
    }
    return at == 1 ? 0 : at < sizeof all / sizeof *all ? at : SIZE_MAX;
}

aclError aclrtCheckArchCompatibility(const char *socVersion, int32_t *canCompatible)
{
    ENTER();
    REQUIRE(socVersion && canCompatible && *socVersion, ACL_ERROR_RT_PARAM_INVALID);
    REQUIRE(family(socVersion) != SIZE_MAX, ACL_ERROR_RT_PARAM_INVALID);
    *canCompatible = family(socVersion) == family(aclsimSoc()->name);
    return ACL_SUCCESS;
}

static bool hasDaemon(void)
{
    return strncmp(aclsimSoc()->name, "Ascend910", strlen("Ascend910")) == 0;
}

aclError aclrtSetDeviceWithoutTsdVXX(int32_t deviceId)
{
    ENTER();
    REQUIRE(hasDaemon(), ACL_ERROR_API_NOT_SUPPORT);
    ANSWER(rtSetDevice(deviceId));
}

aclError aclrtResetDeviceWithoutTsdVXX(int32_t deviceId)
{
    ENTER();
    REQUIRE(hasDaemon(), ACL_ERROR_API_NOT_SUPPORT);
    ANSWER(rtDeviceReset(deviceId));
}
