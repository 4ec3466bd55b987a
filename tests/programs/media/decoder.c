// The second interface's decoder is sent a frame that is longer than its block, and a picture that its strides take past the end.
#include "../simulator/coded.h"
#include "../rt.h"

enum { WIDTH = 64, HEIGHT = 8, PICTURE = WIDTH * HEIGHT * 3 / 2, CODED = CODED_BYTES(WIDTH, HEIGHT) };

int main(void) {
    begin();
    MUST(hi_mpi_sys_init());
    void *coded, *picture;
    unsigned char frame[CODED];
    hi_vdec_chn_attr attributes = {.type = HI_PT_H265, .pic_width = WIDTH, .pic_height = HEIGHT};
    MUST(hi_mpi_vdec_create_chn(0, &attributes));
    MUST(hi_mpi_vdec_start_recv_stream(0));
    MUST(hi_mpi_dvpp_malloc(0, &coded, CODED));
    MUST(hi_mpi_dvpp_malloc(0, &picture, PICTURE - 16));
    codeFrame(frame, WIDTH, HEIGHT, 0);
    MUST(aclrtMemcpy(coded, CODED, frame, CODED, ACL_MEMCPY_HOST_TO_DEVICE));
    hi_vdec_stream stream = {.end_of_frame = HI_TRUE, .addr = coded, .len = CODED + 20};
    hi_vdec_pic_info wanted = {WIDTH, HEIGHT, WIDTH, HEIGHT, HI_PIXEL_FORMAT_YUV_SEMIPLANAR_420, (hi_u64)(uintptr_t)picture, PICTURE, 0, 0, 0, 0};
    MUST(hi_mpi_vdec_send_stream(0, &stream, &wanted, -1));
    hi_vdec_stream last = {.end_of_stream = HI_TRUE, .addr = coded, .len = 2 * CODED};
    MUST(hi_mpi_vdec_send_stream(0, &last, &wanted, -1));
    hi_video_frame_info info;
    MUST(hi_mpi_vdec_get_frame(0, &info, NULL, &stream, -1));
    MUST(hi_mpi_vdec_release_frame(0, &info));
    MUST(hi_mpi_vdec_stop_recv_stream(0));
    MUST(hi_mpi_vdec_destroy_chn(0));
    MUST(hi_mpi_dvpp_free(coded));
    MUST(hi_mpi_dvpp_free(picture));
    MUST(hi_mpi_sys_exit());
    end();
    return 0;
}
