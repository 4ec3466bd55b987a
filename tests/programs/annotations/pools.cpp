// Scopes in place of pairs of calls.
#include "../rt.h"
#include "aclsan.h"
#include <utility>

static aclsan::pool carve(char *block, size_t size) {
    aclsan::pool pool("arena", block, size);
    pool.policy(64, 32);
    pool.alloc(block, 100);
    return pool;
}

int main() {
    begin();
    char *block = device(4096);
    {
        aclsan::pool arena = carve(block, 4096);
        aclsan::pool moved(std::move(arena));
        moved.free(block);
        moved.alloc(block + 64, 200);
        aclsan::ignored scope;
        device(500);
    }
    aclsan_epoch("after the arena");
    MUST(aclrtFree(block));
    printf("done\n");
    end();
    return 0;
}
