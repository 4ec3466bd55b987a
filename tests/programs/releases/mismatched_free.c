// Each block is released by another family's call; the program then correctly releases the blocks that the runtime refused.
#include "../rt.h"

static void device_by_others(void) {
    char *block = device(1000);
    if (aclrtFreeHost(block) != 0) aclrtFree(block);
    acldvppFree(device(2000));
}

static void pinned_by_device(void) {
    aclrtFree(pinned(300));
}

static void dvpp_by_device(void) {
    aclrtFree(dvpp(4096));
}

static void media_by_dvpp(void) {
    void *block = NULL;
    MUST(hi_mpi_dvpp_malloc(0, &block, 512));
    acldvppFree(block);
}

int main(void) {
    begin();
    MUST(hi_mpi_sys_init());
    device_by_others();
    pinned_by_device();
    dvpp_by_device();
    media_by_dvpp();
    MUST(hi_mpi_sys_exit());
    end();
    return 0;
}
