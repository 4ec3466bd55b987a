#pragma once
#include <acl/acl.h>
#include <cstddef>
#include <vector>

// Blocks of one size, reused.
class Pool {
public:
    explicit Pool(size_t size) : size(size) {}
    ~Pool()
    {
        for (void *block : spare) {
            aclrtFree(block);
        }
    }

    void *take()
    {
        void *block = nullptr;
        if (spare.empty()) {
            aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST);
        } else {
            block = spare.back();
            spare.pop_back();
        }
        return block;
    }

    void give_back(void *block) { spare.push_back(block); }

private:
    size_t size;
    std::vector<void *> spare;
};
