//@ run
/* The program's own allocators: registration by stream, and a call back. */
#include "expect.h"

static int allocated, released;

static void *take(aclrtAllocator allocator, size_t size)
{
    allocated++;
    void **block = allocator;
    return aclrtMalloc(block, size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS ? block : NULL;
}

static void give(aclrtAllocator allocator, aclrtAllocatorBlock block)
{
    released += allocator == block;
    OK(aclrtFree(*(void **)block));
}

static void *addressOf(aclrtAllocatorBlock block)
{
    return *(void **)block;
}

int main(void)
{
    void *slot;
    aclrtStream stream;
    aclrtAllocatorDesc found;
    aclrtAllocator object;
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    aclrtAllocatorDesc description = aclrtAllocatorCreateDesc();
    EXPECT_CODE("3.10: incomplete", ACL_ERROR_INVALID_PARAM, aclrtAllocatorRegister(stream, description));
    OK(aclrtAllocatorSetObjToDesc(description, &slot));
    OK(aclrtAllocatorSetAllocFuncToDesc(description, take));
    OK(aclrtAllocatorSetFreeFuncToDesc(description, give));
    OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, addressOf));
    EXPECT_CODE("3.10: no default stream", ACL_ERROR_INVALID_PARAM, aclrtAllocatorRegister(NULL, description));
    EXPECT_CODE("runtime 681ef761", ACL_ERROR_INVALID_PARAM,
                aclrtAllocatorGetByStream(stream, &found, NULL, NULL, NULL, NULL, NULL));
    OK(aclrtAllocatorRegister(stream, description));
    OK(aclrtAllocatorGetByStream(stream, &found, &object, NULL, NULL, NULL, NULL));
    EXPECT("3.10", found == description && object == &slot);
    OK(aclrtAllocatorDestroyDesc(description));
    OK(aclsimRunWithAllocator(100, stream));
    EXPECT("3.10: CANN calls back", allocated == 1 && released == 1 && aclsimLiveBlocks(0) == 0);
    OK(aclrtAllocatorUnregister(stream));
    EXPECT_CODE("3.10: unknown stream", ACL_SUCCESS, aclrtAllocatorUnregister(stream));
    return 0;
}
