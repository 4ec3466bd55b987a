#include "../googletest/pool.h"

int main()
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    {
        Pool pool(4096);
        pool.give_back(pool.take());
    }
    aclrtResetDevice(0);
    return aclFinalize();
}
