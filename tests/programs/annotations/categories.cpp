// What memory is for: by scope, by address, by mstx range; parts of a pool apart from their block.
#include "../rt.h"
#include "aclsan.h"
#include "mstx.h"

int main() {
    begin();
    char *weights = nullptr;
    {
        aclsan::category scope("weights");
        weights = device(1 << 20);
    }
    char *arena = device(1 << 20);
    aclsan_category(arena, "kv_cache");
    {
        aclsan::pool pool("activations", arena, 1 << 20);
        aclsan_category_push("activations");
        pool.alloc(arena + 4096, 8192);
        aclsan_category_pop();
        for (int step = 0; step < 4; step++) {
            aclsan_epoch("step");
            MUST(aclrtMemset(weights, 1 << 20, 0, 1 << 20));
            const mstxRangeId range = mstxRangeStartA("category:temporary", nullptr);
            char *scratch = device(2048);
            mstxRangeEnd(range);
            MUST(aclrtFree(scratch));
        }
        pool.free(arena + 4096);
    }
    char *odd = device(10);
    aclsan_category(odd, "nonsense");
    MUST(aclrtFree(odd));
    MUST(aclrtFree(arena));
    MUST(aclrtFree(weights));
    end();
    return 0;
}
