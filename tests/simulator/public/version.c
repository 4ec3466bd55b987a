/* Versions of the packages, and what the toolkit and a device can do. */
#include "../public.h"

#include <stdio.h>
#include <string.h>

#define MAJOR (ACLSIM_CANN / 10000)
#define MINOR (ACLSIM_CANN / 100 % 100)
#define PATCH (ACLSIM_CANN % 100)

static const char *const packages[] = {
    [ACL_PKG_NAME_CANN] = "cann",       [ACL_PKG_NAME_RUNTIME] = "runtime", [ACL_PKG_NAME_COMPILER] = "compiler",
    [ACL_PKG_NAME_HCCL] = "hccl",       [ACL_PKG_NAME_TOOLKIT] = "toolkit", [ACL_PKG_NAME_OPP] = "opp",
    [ACL_PKG_NAME_OPP_KERNEL] = "opp_kernel", [ACL_PKG_NAME_DRIVER] = "driver",
};

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)
{
    ENTER();
    REQUIRE(version, ACL_ERROR_INVALID_PARAM);
    REQUIRE((uint32_t)name <= ACL_PKG_NAME_DRIVER, ACL_ERROR_INVALID_PARAM);
    memset(version, 0, sizeof *version);
    snprintf(version->version, sizeof version->version, "%d.%d.%d", MAJOR, MINOR, PATCH);
    snprintf(version->majorVersion, sizeof version->majorVersion, "%d", MAJOR);
    snprintf(version->minorVersion, sizeof version->minorVersion, "%d", MINOR);
    snprintf(version->releaseVersion, sizeof version->releaseVersion, "%d", PATCH);
    snprintf(version->patchVersion, sizeof version->patchVersion, "0");
    return ACL_SUCCESS;
}

/* A package name without a version file: names have hyphens and underscores. */
static bool isPackage(const char *name)
{
    bool known = false;
    for (size_t i = 0; i < sizeof packages / sizeof *packages && !known; i++) {
        known = strlen(name) == strlen(packages[i]);
        for (size_t at = 0; known && name[at]; at++) {
            known = (name[at] == '-' ? '_' : name[at]) == packages[i][at];
        }
    }
    return known;
}

aclError aclsysGetVersionStr(char *pkgName, char *versionStr)
{
    ENTER();
    REQUIRE(versionStr && pkgName, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isPackage(pkgName), ACL_ERROR_INVALID_FILE);
    snprintf(versionStr, ACL_PKG_VERSION_MAX_SIZE, "%d.%d.%d", MAJOR, MINOR, PATCH);
    return ACL_SUCCESS;
}

aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum)
{
    ENTER();
    REQUIRE(versionNum && pkgName, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isPackage(pkgName), ACL_ERROR_INVALID_FILE);
    *versionNum = MAJOR * 10000000 + MINOR * 100000 + PATCH * 1000;
    return ACL_SUCCESS;
}

/* All that the runtime's list of features has. */
aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num)
{
    static const aclCannAttr all[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE};
    ENTER();
    REQUIRE(cannAttrList && num, ACL_ERROR_INVALID_PARAM);
    *cannAttrList = aclsimSoc()->has_giant_pages ? all : all + 2;
    *num = aclsimSoc()->has_giant_pages ? 3 : 1;
    return ACL_SUCCESS;
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value)
{
    ENTER();
    REQUIRE(value, ACL_ERROR_INVALID_PARAM);
    REQUIRE((int)cannAttr >= ACL_CANN_ATTR_INF_NAN && cannAttr <= ACL_CANN_ATTR_JIT_COMPILE, ACL_ERROR_INVALID_PARAM);
    *value = cannAttr == ACL_CANN_ATTR_JIT_COMPILE || aclsimSoc()->has_giant_pages;
    return ACL_SUCCESS;
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value)
{
    ENTER();
    REQUIRE(value, ACL_ERROR_INVALID_PARAM);
    REQUIRE(deviceId < aclsimDeviceCount(), ACL_ERROR_RT_INVALID_DEVICEID);
    REQUIRE((int)deviceInfo >= ACL_DEVICE_INFO_AI_CORE_NUM && deviceInfo <= ACL_DEVICE_INFO_L2_SIZE, ACL_ERROR_INVALID_PARAM);
    *value = deviceInfo == ACL_DEVICE_INFO_AI_CORE_NUM      ? aclsimSoc()->cube_cores
             : deviceInfo == ACL_DEVICE_INFO_VECTOR_CORE_NUM ? aclsimSoc()->vector_cores
                                                             : 192 * 1024 * 1024;
    return ACL_SUCCESS;
}
