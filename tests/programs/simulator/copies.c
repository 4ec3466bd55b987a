//@ run
/* Synchronous copies and sets: checks, silent cases, and effects on neighbors. */
#include "expect.h"

static char host[8192];

static void checks(void *d)
{
    EXPECT_CODE("3.4: count 0 first", ACL_SUCCESS, aclrtMemcpy(NULL, 0, NULL, 0, (aclrtMemcpyKind)99));
    EXPECT_CODE("3.4", ACL_ERROR_INVALID_PARAM, aclrtMemcpy(NULL, 9, host, 9, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE("3.4", ACL_ERROR_INVALID_PARAM, aclrtMemcpy(d, 9, NULL, 9, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE("3.4: kind", ACL_ERROR_INVALID_PARAM, aclrtMemcpy(d, 9, host, 9, (aclrtMemcpyKind)8));
    EXPECT_CODE("3.4: kind", ACL_ERROR_INVALID_PARAM, aclrtMemcpy(d, 9, host, 9, (aclrtMemcpyKind)-1));
    EXPECT_CODE("3.4: destMax", ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(d, 9, host, 10, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE("3.4: itself", ACL_SUCCESS, aclrtMemcpy(d, 9, d, 9, ACL_MEMCPY_DEVICE_TO_DEVICE));
    EXPECT_CODE("3.4: async destMax", ACL_ERROR_RT_PARAM_INVALID,
                aclrtMemcpyAsync(d, 9, host, 10, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
    EXPECT_CODE("3.4: count 0 first", ACL_SUCCESS, aclrtMemset(NULL, 0, 0, 0));
    EXPECT_CODE("3.4", ACL_ERROR_INVALID_PARAM, aclrtMemset(NULL, 9, 0, 9));
    EXPECT_CODE("api_error.cc, MemSetSync: beyond the maximum", ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(d, 9, 0, 10));
    EXPECT_CODE("3.4: async set", ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetAsync(d, 9, 0, 10, NULL));
}

static void directions(char *d, char *e)
{
    memset(host, 1, sizeof host);
    EXPECT_CODE("3.4: kind ignored", ACL_SUCCESS, aclrtMemcpy(d, 4096, host, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtMemcpy(e, 4096, d, 4096, ACL_MEMCPY_HOST_TO_HOST));
    memset(host, 0, sizeof host);
    OK(aclrtMemcpy(host, 8192, e, 4096, ACL_MEMCPY_DEFAULT));
    EXPECT("3.4", isFilled(host, 1, 4096) && isFilled(host + 4096, 0, 4096));
    char copy[16];
    EXPECT_CODE("3.4: host to host", ACL_SUCCESS, aclrtMemcpy(copy, 16, host, 16, ACL_MEMCPY_HOST_TO_HOST));
    EXPECT("3.4", isFilled(copy, 1, 16));
}

static void overruns(void)
{
    char *d, *neighbour, last;
    OK(aclrtMalloc((void **)&d, 1000, ACL_MEM_MALLOC_NORMAL_ONLY));
    OK(aclrtMalloc((void **)&neighbour, 1000, ACL_MEM_MALLOC_NORMAL_ONLY));
    EXPECT("simulator: neighbours in one chunk", neighbour > d && neighbour - d < 4096);
    OK(aclrtMemset(neighbour, 1000, 0x11, 1000));
    size_t over = (size_t)(neighbour - d) + 8;
    EXPECT_CODE("5.3: destMax is only a claim", ACL_SUCCESS,
                aclrtMemcpy(d, over, host, over, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy(&last, 1, neighbour, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("5.3: the neighbour is hit", last == host[over - 8]);
    OK(aclrtMemcpy(&last, 1, neighbour + 8, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("5.3", last == 0x11);

    char *large;
    OK(aclrtMalloc((void **)&large, 48 << 20, ACL_MEM_MALLOC_HUGE_ONLY));
    EXPECT("simulator: off the mapped pages", aclrtMemset(large, 1 << 30, 0, 1 << 30) == ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    EXPECT("simulator: no page at all", aclrtMemset(large + (96 << 20), 9, 0, 9) == ACL_ERROR_RT_PARAM_INVALID);
}

static void rows(char *d)
{
    memset(host, 0, sizeof host);
    for (int row = 0; row < 4; row++) {
        memset(host + row * 100, row + 1, 50);
    }
    EXPECT_CODE("3.5", ACL_SUCCESS, aclrtMemcpy2d(NULL, 0, NULL, 0, 0, 9, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE("3.5", ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(d, 49, host, 100, 50, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE("3.5", ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(d, 64, host, 49, 50, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE("3.5", ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(d, 64, host, 100, 50, 4, ACL_MEMCPY_HOST_TO_HOST));
    EXPECT_CODE("3.5: async limit", ACL_ERROR_RT_PARAM_INVALID,
                aclrtMemcpy2dAsync(d, 5000001, host, 5000001, 5000001, 1, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
    OK(aclrtMemset(d, 256, 0x77, 256));
    OK(aclrtMemcpy2d(d, 64, host, 100, 50, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    char back[256];
    OK(aclrtMemcpy(back, 256, d, 256, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("3.5", isFilled(back, 1, 50) && isFilled(back + 50, 0x77, 14) && isFilled(back + 64, 2, 50));
    EXPECT("3.5: the last row ends with its width", isFilled(back + 192, 4, 50) && isFilled(back + 242, 0x77, 14));
}

int main(void)
{
    void *d, *e;
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc(&d, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&e, 4096, ACL_MEM_MALLOC_HUGE_ONLY));
    checks(d);
    directions(d, e);
    overruns();
    rows(d);
    return 0;
}
