//@ run
/* Answers of the real runtime (hicann/runtime 681ef761 and v9.1.0) to odd arguments of memory, copies, streams and devices. */
#include "expect.h"

#define KIND(number) ((aclrtMemcpyKind)(number))

static void sizes(void)
{
    const char *fact = "acl/aclrt_impl/memory.cpp, GetAlignedAndPaddingSize";
    for (size_t from_end = 0; from_end < 64; from_end++) {
        void *block = (void *)8, *host = (void *)8;
        EXPECT_CODE(fact, ACL_ERROR_INVALID_PARAM, aclrtMalloc(&block, SIZE_MAX - from_end, ACL_MEM_MALLOC_HUGE_FIRST));
        EXPECT("checked before the output", block == (void *)8);
        EXPECT("api_impl.cc, HostMalloc: no rounding", aclrtMallocHost(&host, SIZE_MAX - from_end) != ACL_SUCCESS);
    }
    void *block = (void *)8;
    EXPECT_CODE("the driver has no memory", ACL_ERROR_RT_MEMORY_ALLOCATION,
                aclrtMalloc(&block, SIZE_MAX - 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT("and clears the output", block == NULL);
    block = (void *)8;
    EXPECT_CODE("the same for a terabyte", ACL_ERROR_RT_MEMORY_ALLOCATION,
                aclrtMalloc(&block, (size_t)1 << 40, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT("and clears the output", block == NULL);
}

static void kinds(char *d, char *h)
{
    for (int kind = 0; kind < 6; kind++) {
        EXPECT_CODE("api_error.cc, CheckMemcpyKind: 0 to 5", ACL_SUCCESS, aclrtMemcpyAsync(d, 64, h, 64, KIND(kind), NULL));
    }
    EXPECT("no other", aclrtMemcpyAsync(d, 64, h, 64, KIND(9), NULL) != ACL_SUCCESS);
    OK(aclrtSynchronizeStream(NULL));
}

/* Rows must fit their pitches, and both ends must be where the kind says. */
static void rows(char *d, char *h)
{
    const aclrtMemcpyKind in = ACL_MEMCPY_HOST_TO_DEVICE;
    EXPECT_CODE("memory.cpp, MemcpyKindCheck2d", ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(d, 64, h, 64, 32, 2, ACL_MEMCPY_HOST_TO_HOST));
    EXPECT_CODE("memory.cpp: width beyond a pitch", ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(d, 16, h, 64, 32, 2, in));
    EXPECT_CODE("memory.cpp: width beyond a pitch", ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(d, 64, h, 16, 32, 2, in));
    EXPECT_CODE("nothing to do", ACL_SUCCESS, aclrtMemcpy2d(d, 64, h, 64, 32, 0, in));
}

static void timeouts(aclrtStream stream, aclrtEvent event)
{
    EXPECT_CODE("stream.cpp: no time at all", ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout(stream, 0));
    EXPECT_CODE("api_error.cc: below -1", ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout(stream, -2));
    EXPECT_CODE("event.cpp: no time at all", ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeEventWithTimeout(event, 0));
    OK(aclrtSynchronizeStreamWithTimeout(stream, -1));
}

static void handles(void)
{
    aclrtContext none = NULL;
    EXPECT_CODE("context.cpp", ACL_ERROR_INVALID_PARAM, aclrtSetCurrentContext(none));
    EXPECT_CODE("api_error.cc, ContextSetCurrent", ACL_ERROR_RT_PARAM_INVALID, aclrtSetCurrentContext(&none));
    EXPECT_CODE("api_c_stream.cc: before the context", ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream(&none));
}

/* Known RT_EVENT flags and valid combinations (api_error.cc, EventCreate and EventCreateEx). */
static void eventFlags(void)
{
    static const struct {
        uint32_t flag;
        aclError plain, extended;
    } rules[] = {
        {0, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_PARAM_INVALID},
        {ACL_EVENT_SYNC, ACL_SUCCESS, ACL_SUCCESS},
        {ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC, ACL_SUCCESS, ACL_SUCCESS},
        {0x10, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_ERROR_RT_PARAM_INVALID},
        {0x11, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_PARAM_INVALID},
        {0x40, ACL_ERROR_RT_PARAM_INVALID, ACL_SUCCESS},
        {0x80, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_PARAM_INVALID},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        aclrtEvent event;
        EXPECT_CODE("api_error.cc, EventCreate", rules[i].plain, aclrtCreateEventWithFlag(&event, rules[i].flag));
        EXPECT_CODE("api_error.cc, EventCreateEx", rules[i].extended, aclrtCreateEventExWithFlag(&event, rules[i].flag));
    }
}

int main(void)
{
    aclrtStream stream;
    aclrtEvent event;
    void *d, *h;
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&event));
    OK(aclrtMalloc(&d, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&h, 4096));
    sizes();
    kinds(d, h);
    rows(d, h);
    timeouts(stream, event);
    handles();
    eventFlags();
    return 0;
}
