// CANN takes memory from the program's allocator, which takes it from its own block and from the runtime.
#include "../rt.h"

struct block {
    void *address;
};

static void *take(aclrtAllocator allocator, size_t size) {
    (void)allocator;
    struct block *block = malloc(sizeof *block);
    MUST(aclrtMalloc(&block->address, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return block;
}

static void give(aclrtAllocator allocator, aclrtAllocatorBlock block) {
    (void)allocator;
    MUST(aclrtFree(((struct block *)block)->address));
    free(block);
}

static void *address_of(aclrtAllocatorBlock block) {
    return ((struct block *)block)->address;
}

int main(void) {
    begin();
    aclrtStream stream = NULL;
    int object = 0;
    MUST(aclrtCreateStream(&stream));
    aclrtAllocatorDesc description = aclrtAllocatorCreateDesc();
    MUST(aclrtAllocatorSetObjToDesc(description, &object));
    MUST(aclrtAllocatorSetAllocFuncToDesc(description, take));
    MUST(aclrtAllocatorSetFreeFuncToDesc(description, give));
    MUST(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, address_of));
    MUST(aclrtAllocatorRegister(stream, description));
    MUST(aclrtAllocatorDestroyDesc(description));
    for (int i = 0; i < 3; i++) {
        MUST(aclsimRunWithAllocator(1000, stream));
    }
    MUST(aclrtAllocatorUnregister(stream));
    MUST(aclrtDestroyStream(stream));
    end();
    return 0;
}
