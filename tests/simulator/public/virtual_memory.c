/* Virtual memory: what the acl layer checks before the runtime sees a request. */
#include <string.h>

#include "../public.h"

static aclError reserve(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags, bool uncached)
{
    if (!virPtr || size == 0 || flags > 1) {
        return ACL_ERROR_INVALID_PARAM;
    }
    return rtReserveMemAddress(virPtr, size, alignment, expectPtr, uncached);
}

aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags)
{
    ENTER();
    ANSWER(reserve(virPtr, size, alignment, expectPtr, flags, false));
}

aclError aclrtReserveMemAddressNoUCMemory(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags)
{
    ENTER();
    ANSWER(reserve(virPtr, size, alignment, expectPtr, flags, true));
}

aclError aclrtReleaseMemAddress(void *virPtr)
{
    ENTER();
    REQUIRE(virPtr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtReleaseMemAddress(virPtr));
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop, uint64_t flags)
{
    ENTER();
    REQUIRE(handle && prop && size && flags == 0, ACL_ERROR_INVALID_PARAM);
    REQUIRE(prop->handleType == ACL_MEM_HANDLE_TYPE_NONE, ACL_ERROR_INVALID_PARAM);
    REQUIRE(prop->allocationType == ACL_MEM_ALLOCATION_TYPE_PINNED, ACL_ERROR_INVALID_PARAM);
    aclrtMemLocationType side = prop->location.type;
    REQUIRE(side != ACL_MEM_LOCATION_TYPE_UNREGISTERED && side != ACL_MEM_LOCATION_TYPE_MANAGED, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMallocPhysical(handle, size, prop));
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
    ENTER();
    REQUIRE(handle, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtFreePhysical(handle));
}

aclError aclrtMemRetainAllocationHandle(void *virPtr, aclrtDrvMemHandle *handle)
{
    ENTER();
    REQUIRE(virPtr && handle, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemRetainAllocationHandle(virPtr, handle));
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option,
                                          size_t *granularity)
{
    ENTER();
    REQUIRE(prop && granularity, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemGetAllocationGranularity(prop, option, granularity));
}

aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags)
{
    ENTER();
    REQUIRE(virPtr && handle && size && flags == 0, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMapMem(virPtr, size, offset, handle, true));
}

aclError aclrtMemMapNoAccess(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags)
{
    ENTER();
    REQUIRE(virPtr && handle && size && flags == 0, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMapMem(virPtr, size, offset, handle, false));
}

aclError aclrtUnmapMem(void *virPtr)
{
    ENTER();
    REQUIRE(virPtr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtUnmapMem(virPtr));
}

/* The acl layer checks nothing here: the runtime does. */
aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc, size_t count)
{
    ENTER();
    REQUIRE(virPtr && desc && count, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtMemSetAccess(virPtr, size, desc, count));
}

aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location, uint64_t *flag)
{
    ENTER();
    REQUIRE(virPtr && location && flag, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemGetAccess(virPtr, location, flag));
}

aclError aclrtMemMapSelectedLink(void *virPtrDst, size_t size, void *virPtrSrc, uint32_t linkIdx)
{
    ENTER();
    REQUIRE(virPtrDst && virPtrSrc && size && linkIdx <= ACL_RT_MEM_LINK_IDX_1, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemMapSelectedLink(virPtrDst, size, virPtrSrc));
}

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType, uint64_t flags,
                                         uint64_t *shareableHandle)
{
    ENTER();
    REQUIRE(handle && shareableHandle && handleType == ACL_MEM_HANDLE_TYPE_NONE, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemExportToShareableHandle(handle, flags, shareableHandle));
}

static bool isShareType(aclrtMemSharedHandleType type)
{
    return type == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT || type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC;
}

/* Both kinds begin with the number: a fabric handle has room for more, which one server does not need. */
aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags,
                                           aclrtMemSharedHandleType shareType, void *shareableHandle)
{
    ENTER();
    REQUIRE(handle && shareableHandle, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isShareType(shareType), ACL_ERROR_RT_PARAM_INVALID);
    uint64_t share = 0;
    aclError code = rtMemExportToShareableHandle(handle, flags, &share);
    REQUIRE(code == ACL_SUCCESS, code);
    memset(shareableHandle, 0, shareType == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC ? sizeof(aclrtMemFabricHandle) : sizeof share);
    memcpy(shareableHandle, &share, sizeof share);
    return ACL_SUCCESS;
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum)
{
    ENTER();
    REQUIRE(pid && pidNum, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemSetPidToShareableHandle(shareableHandle, pid, (uint32_t)pidNum));
}

aclError aclrtMemSetPidToShareableHandleV2(void *shareableHandle, aclrtMemSharedHandleType shareType, int32_t *pid,
                                           size_t pidNum)
{
    ENTER();
    REQUIRE(shareableHandle && pid && pidNum, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isShareType(shareType), ACL_ERROR_RT_PARAM_INVALID);
    uint64_t share;
    memcpy(&share, shareableHandle, sizeof share);
    ANSWER(rtMemSetPidToShareableHandle(share, pid, (uint32_t)pidNum));
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle *handle)
{
    ENTER();
    REQUIRE(handle, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemImportFromShareableHandle(shareableHandle, deviceId, handle));
}

aclError aclrtMemImportFromShareableHandleV2(void *shareableHandle, aclrtMemSharedHandleType shareType, uint64_t flags,
                                             aclrtDrvMemHandle *handle)
{
    ENTER();
    REQUIRE(shareableHandle && handle && flags == 0, ACL_ERROR_INVALID_PARAM);
    int32_t device = 0;
    aclError code = rtGetDevice(&device);
    REQUIRE(code == ACL_SUCCESS, code);
    REQUIRE(isShareType(shareType), ACL_ERROR_RT_PARAM_INVALID);
    uint64_t share;
    memcpy(&share, shareableHandle, sizeof share);
    ANSWER(rtMemImportFromShareableHandle(share, device, handle));
}
