/* Which device is which: numbers, addresses on the bus, topology, and what two of them can do with each other. */
#ifndef ACLSAN_RT_IDENTITY_H
#define ACLSAN_RT_IDENTITY_H

#include "../acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclrtUuid {
    char bytes[16];
} aclrtUuid;

#define ACL_RT_DEVS_TOPOLOGY_HCCS 0x01ULL
#define ACL_RT_DEVS_TOPOLOGY_PIX 0x02ULL
#define ACL_RT_DEVS_TOPOLOGY_PIB 0x04ULL
#define ACL_RT_DEVS_TOPOLOGY_PHB 0x08ULL
#define ACL_RT_DEVS_TOPOLOGY_SYS 0x10ULL
#define ACL_RT_DEVS_TOPOLOGY_SIO 0x20ULL
#define ACL_RT_DEVS_TOPOLOGY_HCCS_SW 0x40ULL

typedef enum {
    ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1,
    ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV = 21,
} aclrtDevFeatureType;

typedef enum aclrtAtomicOperation {
    ACL_RT_ATOMIC_OPERATION_INTEGER_ADD = 0,
    ACL_RT_ATOMIC_OPERATION_DMA_ADD = 30,
    ACL_RT_ATOMIC_OPERATION_DMA_MIN = 31,
    ACL_RT_ATOMIC_OPERATION_DMA_MAX = 32,
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH = 44,
} aclrtAtomicOperation;

#define ACL_RT_ATOMIC_CAPABILITY_SIGNED (1U << 0)
#define ACL_RT_ATOMIC_CAPABILITY_SCALAR8 (1U << 3)
#define ACL_RT_ATOMIC_CAPABILITY_SCALAR16 (1U << 4)
#define ACL_RT_ATOMIC_CAPABILITY_SCALAR32 (1U << 5)

/* Per cent; -1 where it is unknown. The last member is reserved. */
typedef struct aclrtUtilizationInfo {
    int32_t cubeUtilization;
    int32_t vectorUtilization;
    int32_t aicpuUtilization;
    int32_t memoryUtilization;
    struct aclrtUtilizationExtendInfo *utilizationExtend;
} aclrtUtilizationInfo;

/* A user's number counts what ASCEND_RT_VISIBLE_DEVICES lets through, a logical one the container's devices. */
aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t *const logicDevId);
aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t *const userDevid);
aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t *const logicDevId);
aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t *const phyDevId);
aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t *const userDevId);
aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t *const phyDevId);

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid);
/* Thirteen characters with the closing zero: 0000:c1:00.0 */
aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char *pciBusId, int32_t len);
aclError aclrtDeviceGetByPCIBusId(const char *pciBusId, int32_t *deviceId);
aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t *value);
aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t *status);
aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t *value);
aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo);
aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t *capabilities, const aclrtAtomicOperation *operations,
                                              const uint32_t count, int32_t deviceId);
aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t *capabilities, const aclrtAtomicOperation *operations,
                                             const uint32_t count, int32_t srcDeviceId, int32_t dstDeviceId);
/* Whether what was compiled for a chip of that name runs on this one. */
aclError aclrtCheckArchCompatibility(const char *socVersion, int32_t *canCompatible);

/* Without the device's own daemon: for chips whose name begins with Ascend910. */
aclError aclrtSetDeviceWithoutTsdVXX(int32_t deviceId);
aclError aclrtResetDeviceWithoutTsdVXX(int32_t deviceId);

#ifdef __cplusplus
}
#endif

#endif
