// Both interfaces resize into a released picture, and from one that is larger than its block; exit code of the last wait.
#include "jpeg.h"

static void first(void) {
    char *in = dvpp(PICTURE), *out = dvpp(PICTURE);
    acldvppPicDesc *source = picture(in, PICTURE), *target = picture(out, PICTURE);
    acldvppResizeConfig *config = acldvppCreateResizeConfig();
    MUST(acldvppFree(out));
    (void)acldvppVpcResizeAsync(channel, source, target, config, stream);
    printf("done: %d\n", aclrtSynchronizeStream(stream) == 0);
    MUST(acldvppDestroyResizeConfig(config));
    MUST(acldvppDestroyPicDesc(source));
    MUST(acldvppDestroyPicDesc(target));
    MUST(acldvppFree(in));
}

static void second(void) {
    hi_vpc_chn chn;
    hi_vpc_chn_attr attributes = {0};
    hi_u32 task;
    void *in, *out;
    MUST(hi_mpi_vpc_sys_create_chn(&chn, &attributes));
    MUST(hi_mpi_dvpp_malloc(0, &in, PICTURE - WIDTH));
    MUST(hi_mpi_dvpp_malloc(0, &out, PICTURE));
    hi_vpc_pic_info source = {in, PICTURE, WIDTH, HEIGHT, WIDTH, HEIGHT, HI_PIXEL_FORMAT_YUV_SEMIPLANAR_420};
    hi_vpc_pic_info target = {out, PICTURE, WIDTH, HEIGHT, WIDTH, HEIGHT, HI_PIXEL_FORMAT_YUV_SEMIPLANAR_420};
    MUST(hi_mpi_vpc_resize(chn, &source, &target, 0, 0, 0, &task, -1));
    MUST(hi_mpi_vpc_get_process_result(chn, task, -1));
    hi_vpc_crop_resize_region region = {target, {0, 0, WIDTH, HEIGHT}, {WIDTH, HEIGHT, 0}};
    region.dest_pic_info.picture_address = in;
    MUST(hi_mpi_vpc_crop_resize(chn, &target, &region, 1, &task, -1));
    MUST(hi_mpi_vpc_get_process_result(chn, task, -1));
    MUST(hi_mpi_vpc_destroy_chn(chn));
    MUST(hi_mpi_dvpp_free(in));
    MUST(hi_mpi_dvpp_free(out));
}

int main(void) {
    openUnit();
    first();
    MUST(hi_mpi_sys_init());
    second();
    MUST(hi_mpi_sys_exit());
    closeUnit();
    return 0;
}
