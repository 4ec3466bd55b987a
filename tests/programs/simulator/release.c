//@ run
//@ link: acl_dvpp acl_dvpp_mpi
/* The matrix of allocators and releases, and releases of what is no block. */
#include "acl/dvpp/hi_dvpp.h"
#include "acl/ops/acl_dvpp.h"
#include "expect.h"

#define REFUSED ACL_ERROR_RT_PARAM_INVALID

static void *device(void)
{
    void *p;
    OK(aclrtMalloc(&p, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
    return p;
}

static void *host(void)
{
    void *p;
    OK(aclrtMallocHost(&p, 1000));
    return p;
}

static void *media(void)
{
    void *p;
    OK(acldvppMalloc(&p, 1000));
    return p;
}

static void matrix(void)
{
    void *d = device(), *h = host(), *m = media();
    EXPECT_CODE("peers 0.6: device to aclrtFreeHost", REFUSED, aclrtFreeHost(d));
    EXPECT("peers 0.6: it stays leaked", aclsimIsLive(d));
    EXPECT_CODE("peers 0.6: device to acldvppFree, silently", ACL_SUCCESS, acldvppFree(d));
    EXPECT("peers 0.6", !aclsimIsLive(d));

    EXPECT_CODE("peers 0.6: pinned to acldvppFree", REFUSED, acldvppFree(h));
    EXPECT("peers 0.6", aclsimIsLive(h));
    EXPECT_CODE("5.2: pinned to aclrtFree, silently", ACL_SUCCESS, aclrtFree(h));
    EXPECT("5.2", !aclsimIsLive(h));

    EXPECT_CODE("peers 0.6: media to aclrtFreeHost", REFUSED, aclrtFreeHost(m));
    EXPECT_CODE("5.2: media to aclrtFree, silently", ACL_SUCCESS, aclrtFree(m));
    EXPECT_CODE("3.11", HI_SUCCESS, hi_mpi_dvpp_malloc(7, &m, 1000));
    EXPECT_CODE("3.11", HI_SUCCESS, hi_mpi_dvpp_free(m));

    OK(aclrtFree(device()));
    OK(aclrtFreeWithDevSync(device()));
    OK(aclrtFreeHost(host()));
    OK(aclrtFreeHostWithDevSync(host()));
    OK(acldvppFree(media()));
}

static void notBlocks(void)
{
    char *d = device();
    char on_stack[64];
    void *from_libc = malloc(4096);
    EXPECT_CODE("5.2: interior", REFUSED, aclrtFree(d + 512));
    EXPECT_CODE("5.2: one past the end", REFUSED, aclrtFree(d + 1056));
    EXPECT("5.2: nothing else happens", aclsimIsLive(d));
    EXPECT_CODE("5.2: stack", REFUSED, aclrtFree(on_stack));
    EXPECT_CODE("5.2: libc", REFUSED, aclrtFree(from_libc));
    EXPECT_CODE("peers 0.6: libc to aclrtFreeHost, by the driver", REFUSED, aclrtFreeHost(from_libc));
    EXPECT_CODE("peers 0.6: libc to acldvppFree", REFUSED, acldvppFree(from_libc));
    OK(aclrtFree(d));
    EXPECT_CODE("5.2: second time", REFUSED, aclrtFree(d));
    EXPECT_CODE("5.2: second time, pinned", REFUSED, ({ void *h = host(); aclrtFreeHost(h); aclrtFreeHost(h); }));
    free(from_libc);
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    matrix();
    notBlocks();
    EXPECT_CODE("5.2", 0, aclsimLiveBlocks(0));
    EXPECT_CODE("5.2", 0, aclsimLiveBlocks(-1));
    void *d = device();
    aclrtContext context;
    OK(aclrtCreateContext(&context, 1));
    OK(aclrtDestroyContext(context));
    EXPECT_CODE("5.2: no context now", ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&(int32_t){0}));
    EXPECT_CODE("5.2: a release needs no context", ACL_SUCCESS, aclrtFree(d));
    return 0;
}
