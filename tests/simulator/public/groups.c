/* Groups of cores, of which no profile has any, and the overflow of floating point numbers, which nothing here meets. */
#include "../public.h"

#define STATUS_BYTES 64u

aclError aclrtSetGroup(int32_t groupId)
{
    ENTER();
    (void)groupId;
    ANSWER(ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

aclError aclrtGetGroupCount(uint32_t *count)
{
    ENTER();
    REQUIRE(count, ACL_ERROR_INVALID_PARAM);
    *count = 0;
    return ACL_SUCCESS;
}

/* NULL where there is no group, as there. */
aclrtGroupInfo *aclrtCreateGroupInfo(void)
{
    return NULL;
}

aclError aclrtDestroyGroupInfo(aclrtGroupInfo *groupInfo)
{
    ENTER();
    REQUIRE(groupInfo, ACL_ERROR_INVALID_PARAM);
    ANSWER(ACL_ERROR_RT_PARAM_INVALID);
}

aclError aclrtGetAllGroupInfo(aclrtGroupInfo *groupInfo)
{
    ENTER();
    REQUIRE(groupInfo, ACL_ERROR_INVALID_PARAM);
    ANSWER(ACL_ERROR_RT_PARAM_INVALID);
}

aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo *groupInfo, int32_t groupIndex, aclrtGroupAttr attr, void *attrValue,
                                 size_t valueLen, size_t *paramRetSize)
{
    ENTER();
    (void)groupIndex, (void)attr, (void)valueLen;
    REQUIRE(groupInfo && attrValue && paramRetSize, ACL_ERROR_INVALID_PARAM);
    ANSWER(ACL_ERROR_INVALID_PARAM);
}

static _Atomic uint32_t saturation;

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
    ENTER();
    REQUIRE((uint32_t)mode < ACL_RT_OVERFLOW_MODE_UNDEF, ACL_ERROR_RT_PARAM_INVALID);
    saturation = mode;
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
    ENTER();
    REQUIRE(mode, ACL_ERROR_INVALID_PARAM);
    *mode = (aclrtFloatOverflowMode)saturation;
    return ACL_SUCCESS;
}

/* In stream order: the status is written, and says that nothing overflowed. */
static aclError status(void *output, uint64_t size, aclrtStream stream)
{
    if (!output || size != STATUS_BYTES) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    return rtMemsetAsync(output, size, 0, size, stream);
}

static aclError clear(aclrtStream stream)
{
    int32_t id;
    uint32_t priority, flags;
    return aclsimStreamDescribe(stream, &id, &priority, &flags);
}

aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream stream)
{
    ENTER();
    REQUIRE(outputAddr, ACL_ERROR_INVALID_PARAM);
    ANSWER(status(outputAddr, outputSize, stream));
}

aclError aclrtResetOverflowStatus(aclrtStream stream)
{
    ENTER();
    ANSWER(clear(stream));
}

aclError aclrtGetFloatOverflowStatus(void *outputAddr, uint64_t outputSize, aclrtStream stream)
{
    ENTER();
    ANSWER(status(outputAddr, outputSize, stream));
}

aclError aclrtResetFloatOverflowStatus(aclrtStream stream)
{
    ENTER();
    ANSWER(clear(stream));
}

aclError aclrtNpuGetFloatOverFlowStatus(void *outputAddr, uint64_t outputSize, uint32_t checkMode, aclrtStream stream)
{
    ENTER();
    (void)checkMode;
    ANSWER(status(outputAddr, outputSize, stream));
}

aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream)
{
    ENTER();
    (void)checkMode;
    ANSWER(clear(stream));
}
