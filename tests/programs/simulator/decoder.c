//@ run
//@ link: acl_dvpp acl_dvpp_mpi
/* The decoder of the second media interface: frames go in and come out in order, video and JPEG. */
#include "acl/dvpp/hi_dvpp.h"
#include "acl/ops/acl_dvpp.h"
#include "coded.h"
#include "expect.h"

enum { WIDTH = 64, HEIGHT = 32, BYTES = WIDTH * HEIGHT * 3 / 2, CODED = CODED_BYTES(WIDTH, HEIGHT) };
#define VDEC "hi_dvpp_vdec.h, CANN 8.1"
#define WENT(call) EXPECT_CODE(VDEC, HI_SUCCESS, call)

static void *media(size_t size)
{
    void *address;
    WENT(hi_mpi_dvpp_malloc(0, &address, size));
    return address;
}

static hi_vdec_pic_info wanted(hi_u32 size)
{
    hi_vdec_pic_info info = {.width = WIDTH, .height = HEIGHT, .width_stride = WIDTH, .height_stride = HEIGHT};
    info.pixel_format = HI_PIXEL_FORMAT_YUV_SEMIPLANAR_420;
    info.vir_addr = (hi_u64)(uintptr_t)media(size);
    info.buffer_size = size;
    return info;
}

static void comesOut(hi_vdec_chn channel, hi_u64 pts, hi_u32 flag)
{
    hi_video_frame_info frame;
    hi_vdec_stream stream;
    hi_vdec_supplement_info supplement;
    WENT(hi_mpi_vdec_get_frame(channel, &frame, &supplement, &stream, -1));
    EXPECT(VDEC, frame.v_frame.pts == pts && stream.pts == pts && frame.v_frame.frame_flag == flag);
    EXPECT(VDEC, frame.v_frame.width == WIDTH && frame.v_frame.width_stride[0] == WIDTH);
    if (flag == 0) {
        unsigned char now[BYTES];
        OK(aclrtMemcpy(now, BYTES, frame.v_frame.virt_addr[0], BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
        EXPECT("samples", abs(now[WIDTH] - codedSample((int)pts, 1)) <= 2);
    }
    WENT(hi_mpi_vdec_release_frame(channel, &frame));
    WENT(hi_mpi_dvpp_free(frame.v_frame.virt_addr[0]));
    WENT(hi_mpi_dvpp_free(stream.addr));
}

static void video(void)
{
    unsigned char coded[CODED];
    hi_vdec_chn_attr attributes = {.type = HI_PT_H265, .mode = HI_VDEC_SEND_MODE_FRAME};
    EXPECT("no size", hi_mpi_vdec_create_chn(0, &attributes) != HI_SUCCESS);
    attributes.pic_width = WIDTH, attributes.pic_height = HEIGHT;
    WENT(hi_mpi_vdec_create_chn(0, &attributes));
    EXPECT("twice", hi_mpi_vdec_create_chn(0, &attributes) != HI_SUCCESS);
    WENT(hi_mpi_vdec_start_recv_stream(0));
    for (hi_u64 i = 0; i < 3; i++) {
        codeFrame(coded, WIDTH, HEIGHT, (int)i);
        hi_vdec_stream stream = {.end_of_frame = HI_TRUE, .pts = i, .addr = media(CODED), .len = CODED};
        OK(aclrtMemcpy(stream.addr, CODED, coded, i == 2 ? CODED - WIDTH : CODED, ACL_MEMCPY_HOST_TO_DEVICE));
        hi_vdec_pic_info info = wanted(i == 1 ? BYTES - 1 : BYTES);
        WENT(hi_mpi_vdec_send_stream(0, &stream, &info, -1));
    }
    hi_vdec_stream end = {.end_of_stream = HI_TRUE};
    hi_vdec_pic_info nothing = {0};
    WENT(hi_mpi_vdec_send_stream(0, &end, &nothing, -1));
    comesOut(0, 0, 0);
    comesOut(0, 1, 1);
    comesOut(0, 2, 0);
    hi_video_frame_info frame;
    EXPECT("empty", hi_mpi_vdec_get_frame(0, &frame, NULL, &end, 0) != HI_SUCCESS);
    EXPECT("still receiving", hi_mpi_vdec_destroy_chn(0) != HI_SUCCESS);
    WENT(hi_mpi_vdec_stop_recv_stream(0));
    WENT(hi_mpi_vdec_destroy_chn(0));
}

/* The other interface's encoder makes the file. */
static void jpeg(void)
{
    unsigned char samples[CODED];
    uint32_t size;
    aclrtStream stream;
    OK(aclrtCreateStream(&stream));
    codeFrame(samples, WIDTH, HEIGHT, 5);
    acldvppChannelDesc *unit = acldvppCreateChannelDesc();
    acldvppJpegeConfig *config = acldvppCreateJpegeConfig();
    acldvppPicDesc *picture = acldvppCreatePicDesc();
    void *raw = media(BYTES);
    OK(acldvppCreateChannel(unit));
    OK(aclrtMemcpy(raw, BYTES, samples + 12, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(acldvppSetPicDescData(picture, raw));
    OK(acldvppSetPicDescSize(picture, BYTES));
    OK(acldvppSetPicDescFormat(picture, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
    OK(acldvppSetPicDescWidth(picture, WIDTH));
    OK(acldvppSetPicDescHeight(picture, HEIGHT));
    OK(acldvppSetPicDescWidthStride(picture, WIDTH));
    OK(acldvppSetPicDescHeightStride(picture, HEIGHT));
    OK(acldvppJpegPredictEncSize(picture, config, &size));
    void *file = media(size);
    OK(acldvppJpegEncodeAsync(unit, picture, file, &size, config, stream));
    OK(aclrtSynchronizeStream(stream));

    hi_vdec_chn_attr attributes = {.type = HI_PT_JPEG, .pic_width = WIDTH, .pic_height = HEIGHT};
    hi_vdec_stream coded = {.end_of_frame = HI_TRUE, .pts = 5, .addr = file, .len = size};
    hi_vdec_pic_info info = wanted(BYTES);
    WENT(hi_mpi_vdec_create_chn(3, &attributes));
    EXPECT("not started", hi_mpi_vdec_send_stream(3, &coded, &info, 0) != HI_SUCCESS);
    WENT(hi_mpi_vdec_start_recv_stream(3));
    WENT(hi_mpi_vdec_send_stream(3, &coded, &info, 0));
    comesOut(3, 5, 0);
    WENT(hi_mpi_vdec_stop_recv_stream(3));
    WENT(hi_mpi_vdec_destroy_chn(3));
    WENT(hi_mpi_dvpp_free(raw));
    OK(acldvppDestroyPicDesc(picture));
    OK(acldvppDestroyJpegeConfig(config));
    OK(acldvppDestroyChannel(unit));
    OK(acldvppDestroyChannelDesc(unit));
    OK(aclrtDestroyStream(stream));
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    video();
    jpeg();
    EXPECT("nothing is left", aclsimLiveBlocks(0) == 0);
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
