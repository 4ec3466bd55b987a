#include "pool.h"
#include <gtest/gtest.h>

// AscendCL starts once for all tests of the program.
class Device : public testing::Environment {
    void SetUp() override
    {
        aclInit(nullptr);
        aclrtSetDevice(0);
    }
    void TearDown() override
    {
        aclrtResetDevice(0);
        aclFinalize();
    }
};
static testing::Environment *const device = testing::AddGlobalTestEnvironment(new Device);

TEST(Pool, ReusesABlock)
{
    Pool pool(4096);
    void *block = pool.take();
    pool.give_back(block);
    EXPECT_EQ(pool.take(), block);
    pool.give_back(block);
}

TEST(Pool, HoldsWhatIsCopied)
{
    Pool pool(4096);
    void *block = pool.take();
    std::vector<char> sent(4096, 'a'), received(4096);
    aclrtMemcpy(block, 4096, sent.data(), sent.size(), ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemcpy(received.data(), received.size(), block, 4096, ACL_MEMCPY_DEVICE_TO_HOST);
    EXPECT_EQ(received, sent);
    pool.give_back(block);
}
