/* Device memory: what the acl layer adds to a request before the runtime sees it. */
#include "../public.h"
#include "../request.h"

static bool isGiant(aclrtMemMallocPolicy policy)
{
    return policy == ACL_MEM_MALLOC_HUGE1G_ONLY || policy == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
}

typedef aclError allocator(void **pointer, uint64_t size, uint32_t policy, uint16_t module);

static aclError padded(allocator *allocate, void **pointer, size_t size, aclrtMemMallocPolicy policy)
{
    uint64_t bytes;
    if (!pointer || !roundedSize(size, isGiant(policy) ? 0 : aclsimSoc()->padding, &bytes)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    return allocate(pointer, bytes, policy, 0);
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    ENTER();
    REQUIRE(devPtr, ACL_ERROR_INVALID_PARAM);
    ANSWER(padded(rtMalloc, devPtr, size, policy));
}

/* Caching concerns the chip's own CPU; the P2P policies fall back to the plain ones. */
aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    ENTER();
    REQUIRE(devPtr, ACL_ERROR_INVALID_PARAM);
    ANSWER(padded(rtMallocCached, devPtr, size, policy));
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    ENTER();
    uint64_t bytes;
    REQUIRE(devPtr && roundedSize(size, 0, &bytes), ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMalloc(devPtr, bytes, policy, 0));
}

static aclError configured(void **pointer, size_t size, aclrtMemMallocPolicy policy, const aclrtMallocConfig *cfg)
{
    aclError code = pointer ? configShaped(cfg) : ACL_ERROR_INVALID_PARAM;
    if (code == ACL_ERROR_INVALID_PARAM || size == 0) {
        return ACL_ERROR_INVALID_PARAM;
    }
    code = code == ACL_SUCCESS ? configForDevice(cfg) : code;
    return code == ACL_SUCCESS ? rtMalloc(pointer, wrappedSize(size), policy, 0) : code;
}

aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)
{
    ENTER();
    ANSWER(configured(devPtr, size, policy, cfg));
}

aclError aclrtMallocForTaskScheduler(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)
{
    ENTER();
    ANSWER(configured(devPtr, size, policy, cfg));
}

aclError aclrtFree(void *devPtr)
{
    ENTER();
    REQUIRE(devPtr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtFree(devPtr));
}

aclError aclrtFreeWithDevSync(void *devPtr)
{
    ENTER();
    REQUIRE(devPtr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtFreeWithDevSync(devPtr));
}

/* Kinds of memory that the chip lacks count as 0 of 0; plain HBM on a chip with DDR
 * only is answered for its DDR. */
aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
    ENTER();
    REQUIRE(free && total, ACL_ERROR_INVALID_PARAM);
    REQUIRE((int)attr >= ACL_DDR_MEM && attr <= ACL_MEM_P2P_HUGE1G, ACL_ERROR_RT_INVALID_MEMORY_TYPE);
    uint64_t free_bytes, total_bytes;
    aclError code = aclsimMemoryInfo(&free_bytes, &total_bytes);
    REQUIRE(code == ACL_SUCCESS, code);
    bool hbm = aclsimSoc()->has_hbm;
    bool asks_hbm = attr == ACL_HBM_MEM_HUGE || attr == ACL_HBM_MEM_NORMAL || attr == ACL_HBM_MEM_P2P_HUGE ||
                    attr == ACL_HBM_MEM_P2P_NORMAL || attr == ACL_HBM_MEM_HUGE1G || attr == ACL_HBM_MEM_P2P_HUGE1G;
    bool asks_ddr = attr == ACL_DDR_MEM || attr == ACL_DDR_MEM_HUGE || attr == ACL_DDR_MEM_NORMAL ||
                    attr == ACL_DDR_MEM_P2P_HUGE || attr == ACL_DDR_MEM_P2P_NORMAL;
    bool present = !(hbm ? asks_ddr : asks_hbm);
    *free = present ? free_bytes : 0;
    *total = present ? total_bytes : 0;
    return ACL_SUCCESS;
}

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
    ENTER();
    REQUIRE(ptr && attributes, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsPointerGetAttributes(ptr, attributes));
}

aclError aclrtMemGetAddressRange(void *ptr, void **pbase, size_t *psize)
{
    ENTER();
    REQUIRE(ptr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtMemGetAddressRange(ptr, pbase, psize));
}
