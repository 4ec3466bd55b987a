// Records of pictures and streams, a pool and a block of it are never released.
#include "../rt.h"

int main(void) {
    begin();
    for (int i = 0; i < 3; i++) {
        acldvppSetPicDescSize(acldvppCreatePicDesc(), 64);
    }
    acldvppSetStreamDescSize(acldvppCreateStreamDesc(), 64);
    acldvppGetPicDesc(acldvppCreateBatchPicDesc(2), 0);
    hi_vb_pool_config wanted = {.blk_size = 4096, .blk_cnt = 2};
    hi_mpi_vb_get_block(hi_mpi_vb_create_pool(&wanted), 4096, NULL);
    end();
    return 0;
}
