//@ run
//@ run: ACLSIM_MEMORY_MB=3000
/* Page classes, alignment, and what a request costs the device. */
#include "expect.h"

static size_t freeBytes(void)
{
    size_t left, total;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total));
    return left;
}

static uint32_t pageOf(size_t size, aclrtMemMallocPolicy policy)
{
    void *p;
    aclrtPtrAttributes attributes;
    OK(aclrtMallocAlign32(&p, size, policy));
    EXPECT("5.1: 2^9 alignment", (uintptr_t)p % 512 == 0);
    OK(aclrtPointerGetAttributes((char *)p + size - 1, &attributes));
    EXPECT("3.10", attributes.location.type == ACL_MEM_LOCATION_TYPE_DEVICE && attributes.location.id == 0);
    OK(aclrtFree(p));
    return attributes.pageSize;
}

/* Small blocks that were released stay mapped until an allocation needs the room. */
static void cacheIsGivenBack(void)
{
    enum { BLOCKS = 2000 };
    static void *small[BLOCKS];
    void *keep[BLOCKS / 100], *large;
    size_t before = freeBytes();
    for (int i = 0; i < BLOCKS; i++) {
        OK(aclrtMalloc(&small[i], 100000, ACL_MEM_MALLOC_NORMAL_ONLY));
        if (i % 100 == 0) {
            OK(aclrtMalloc(&keep[i / 100], 512, ACL_MEM_MALLOC_NORMAL_ONLY));
        }
    }
    for (int i = 0; i < BLOCKS; i += 2) {
        OK(aclrtFree(small[i]));
    }
    for (int i = 1; i < BLOCKS; i += 2) {
        OK(aclrtFree(small[i]));
    }
    EXPECT("peers 0.5: the cache holds pages", freeBytes() < before - (8 << 20));
    OK(aclrtMalloc(&large, before - (20 << 20), ACL_MEM_MALLOC_NORMAL_ONLY));
    for (int i = 0; i < BLOCKS / 100; i++) {
        OK(aclrtFree(keep[i]));
    }
    OK(aclrtFree(large));
}

int main(void)
{
    const size_t mib = 1 << 20;
    OK(aclrtSetDevice(0));
    EXPECT_CODE("5.1: 1 MiB is normal", 4096, pageOf(mib, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE("5.1: above 1 MiB is huge", 2 * mib, pageOf(mib + 1, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE("5.1: unknown policy as HUGE_FIRST", 2 * mib, pageOf(mib + 1, (aclrtMemMallocPolicy)77));
    EXPECT_CODE("2: NORMAL_ONLY", 4096, pageOf(8 * mib, ACL_MEM_MALLOC_NORMAL_ONLY));
    EXPECT_CODE("5.1: HUGE_ONLY", 2 * mib, pageOf(1024, ACL_MEM_MALLOC_HUGE_ONLY));
    EXPECT_CODE("2: 1G", 1024 * mib, pageOf(1024, ACL_MEM_MALLOC_HUGE1G_ONLY));

    void *p, *q, *r;
    OK(aclrtMalloc(&p, mib, ACL_MEM_MALLOC_HUGE_FIRST));
    aclrtPtrAttributes attributes;
    OK(aclrtPointerGetAttributes(p, &attributes));
    EXPECT("peers 0.4: padding pushes 1 MiB over the cliff", attributes.pageSize == 2 * mib);
    OK(aclrtMalloc(&q, 1024, ACL_MEM_MALLOC_HUGE_ONLY));
    OK(aclrtMalloc(&r, 1024, ACL_MEM_MALLOC_HUGE_ONLY));
    EXPECT("5.1: whole huge pages", (uintptr_t)q % (2 * mib) == 0 && (uintptr_t)r % (2 * mib) == 0);
    size_t before = freeBytes();
    OK(aclrtMalloc(&p, 100 * mib, ACL_MEM_MALLOC_HUGE_ONLY));
    EXPECT("5.1: 100 MiB and its padding", before - freeBytes() == 102 * mib);
    OK(aclrtFree(p));
    EXPECT("peers 0.5: too large for the cache", freeBytes() == before);

    void *host;
    OK(aclrtMallocHost(&host, 100));
    EXPECT("3.2", (uintptr_t)host % 64 == 0);
    OK(aclrtPointerGetAttributes(host, &attributes));
    EXPECT("3.10", attributes.location.type == ACL_MEM_LOCATION_TYPE_HOST);
    OK(aclrtPointerGetAttributes(&host, &attributes));
    EXPECT("3.10", attributes.location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED);

    if (getenv("ACLSIM_MEMORY_MB")) {
        size_t left, total;
        OK(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total));
        EXPECT_CODE("simulator", 3000 * mib, total);
        EXPECT_CODE("3.1: out of memory", ACL_ERROR_RT_MEMORY_ALLOCATION,
                    aclrtMalloc(&p, total, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMalloc(&p, left - mib, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtPointerGetAttributes(p, &attributes));
        EXPECT("5.1: falls back to normal pages", attributes.pageSize == 4096 || left % (2 * mib) == 0);
        OK(aclrtFree(p));
        cacheIsGivenBack();
    }
    OK(aclrtGetMemInfo(ACL_DDR_MEM, &before, &before));
    EXPECT_CODE("3.10: no DDR on this chip", 0, before);
    return 0;
}
