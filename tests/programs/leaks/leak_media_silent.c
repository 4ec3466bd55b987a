// Records that are released where they were made or elsewhere, and pictures of a batch, which are released with it.
#include "../rt.h"

static acldvppPicDesc *kept;

__attribute__((destructor)) static void atTheEnd(void) {
    acldvppDestroyPicDesc(kept);
}

int main(void) {
    begin();
    kept = acldvppCreatePicDesc();
    acldvppStreamDesc *stream = acldvppCreateStreamDesc();
    acldvppBatchPicDesc *batch = acldvppCreateBatchPicDesc(2);
    acldvppSetPicDescSize(acldvppGetPicDesc(batch, 1), 64);
    MUST(acldvppDestroyBatchPicDesc(batch));
    MUST(acldvppDestroyStreamDesc(stream));
    hi_vb_pool_config wanted = {.blk_size = 4096, .blk_cnt = 2};
    MUST(hi_mpi_vb_destroy_pool(hi_mpi_vb_create_pool(&wanted)));
    end();
    return 0;
}
