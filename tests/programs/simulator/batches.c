//@ run
/* Batches of copies: the checks of both layers, sizes of 0, attributes, order in the stream. */
#include "expect.h"

#define COUNT 4

static const aclrtMemLocation host = {0, ACL_MEM_LOCATION_TYPE_HOST};
static const aclrtMemLocation device = {0, ACL_MEM_LOCATION_TYPE_DEVICE};

int main(void)
{
    aclrtStream stream;
    char *blocks[COUNT], *pinned[COUNT];
    void *dsts[COUNT], *srcs[COUNT];
    size_t rooms[COUNT], sizes[COUNT], fail = 7, from[2] = {0, 1};
    aclrtMemcpyBatchAttr down[2] = {{device, host, {0}}, {device, host, {0}}};
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    for (size_t i = 0; i < COUNT; i++) {
        OK(aclrtMalloc((void **)&blocks[i], 256, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMallocHost((void **)&pinned[i], 256));
        memset(pinned[i], (int)i + 1, 256);
        dsts[i] = blocks[i];
        srcs[i] = pinned[i];
        rooms[i] = sizes[i] = 256;
    }
    EXPECT_CODE("3.5", ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch(dsts, rooms, srcs, sizes, COUNT, down, from, 1, NULL));
    EXPECT_CODE("3.5", ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 0, down, from, 1, &fail));
    EXPECT_CODE("3.5", ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch(dsts, NULL, srcs, sizes, COUNT, down, from, 1, &fail));
    rooms[2] = 255;
    EXPECT_CODE("3.5: destMax", ACL_ERROR_INVALID_PARAM,
                aclrtMemcpyBatch(dsts, rooms, srcs, sizes, COUNT, down, from, 1, &fail));
    rooms[2] = 256;
    from[0] = 1;
    EXPECT_CODE("runtime 681ef761: the first index is 0", ACL_ERROR_RT_PARAM_INVALID,
                aclrtMemcpyBatch(dsts, rooms, srcs, sizes, COUNT, down, from, 1, &fail));
    from[0] = 0;
    EXPECT_CODE("runtime 681ef761: attributes", ACL_ERROR_RT_PARAM_INVALID,
                aclrtMemcpyBatch(dsts, rooms, srcs, sizes, COUNT, down, from, 0, &fail));
    sizes[1] = 0;
    EXPECT_CODE("clients 67: zeros are skipped", ACL_SUCCESS,
                aclrtMemcpyBatch(dsts, rooms, srcs, sizes, COUNT, down, from, 2, &fail));
    char back[256];
    OK(aclsimRead(blocks[0], back, 256));
    EXPECT("3.5", isFilled(back, 1, 256) && fail == SIZE_MAX);
    OK(aclsimRead(blocks[1], back, 256));
    EXPECT("clients 67", isFilled(back, 0, 256));
    EXPECT_CODE("runtime 681ef761: but not by the queued form", ACL_ERROR_RT_PARAM_INVALID,
                aclrtMemcpyBatchAsync(dsts, rooms, srcs, sizes, COUNT, down, from, 1, &fail, stream));
    EXPECT("runtime 681ef761", fail == 1);
    size_t nothing[COUNT] = {0};
    EXPECT_CODE("runtime 681ef761: all zero", ACL_SUCCESS,
                aclrtMemcpyBatchV2(NULL, NULL, NULL, nothing, COUNT, NULL, NULL, 0));
    sizes[1] = 256;
    down[1].dstLoc = host;
    EXPECT_CODE("3.5: one direction", ACL_ERROR_RT_PARAM_INVALID,
                aclrtMemcpyBatch(dsts, rooms, srcs, sizes, COUNT, down, from, 2, &fail));
    EXPECT("runtime 681ef761: which element", fail == 1);
    OK(aclrtMemcpyBatchAsyncV2(dsts, rooms, srcs, sizes, COUNT, down, from, 1, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclsimRead(blocks[1], back, 256));
    EXPECT("3.5", isFilled(back, 2, 256));

    size_t many = 4097;
    void **to = calloc(many, sizeof *to), **out = calloc(many, sizeof *out);
    size_t *bytes = calloc(many, sizeof *bytes);
    for (size_t i = 0; i < many; i++) {
        to[i] = blocks[0];
        out[i] = pinned[0];
        bytes[i] = 1;
    }
    EXPECT_CODE("3.5: 4096 at most", ACL_ERROR_RT_PARAM_INVALID,
                aclrtMemcpyBatchV2(to, bytes, out, bytes, many, down, from, 1));
    OK(aclrtMemcpyBatchV2(to, bytes, out, bytes, many - 1, down, from, 1));
    return 0;
}
