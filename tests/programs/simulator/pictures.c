//@ run
//@ link: acl_dvpp acl_dvpp_mpi
/* Both media interfaces move the right samples, in order, between blocks of media memory. */
#include "acl/dvpp/hi_dvpp.h"
#include "acl/ops/acl_dvpp.h"
#include "expect.h"

enum { WIDTH = 64, HEIGHT = 32, BYTES = WIDTH * HEIGHT * 3 / 2, SMALL = 32 * 16 * 3 / 2 };

static unsigned char picture[BYTES], small[SMALL];

static void *mediaBlock(size_t size, const void *bytes)
{
    void *address;
    OK(acldvppMalloc(&address, size));
    if (bytes != NULL) {
        OK(aclrtMemcpy(address, size, bytes, size, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    return address;
}

static acldvppPicDesc *describe(void *address, uint32_t size, uint32_t width, uint32_t height)
{
    acldvppPicDesc *desc = acldvppCreatePicDesc();
    OK(acldvppSetPicDescData(desc, address));
    OK(acldvppSetPicDescSize(desc, size));
    OK(acldvppSetPicDescFormat(desc, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
    OK(acldvppSetPicDescWidth(desc, width));
    OK(acldvppSetPicDescHeight(desc, height));
    OK(acldvppSetPicDescWidthStride(desc, width));
    OK(acldvppSetPicDescHeightStride(desc, height));
    return desc;
}

static void cropTakesTheRegion(acldvppChannelDesc *channel, aclrtStream stream)
{
    void *in = mediaBlock(BYTES, picture), *out = mediaBlock(SMALL, NULL);
    acldvppPicDesc *source = describe(in, BYTES, WIDTH, HEIGHT), *target = describe(out, SMALL, 32, 16);
    acldvppRoiConfig *region = acldvppCreateRoiConfig(8, 39, 4, 19);
    OK(acldvppVpcCropAsync(channel, source, target, region, stream));
    OK(acldvppDestroyRoiConfig(region));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(small, SMALL, out, SMALL, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int row = 0; row < 16; row++) {
        EXPECT("luma", memcmp(small + row * 32, picture + (row + 4) * WIDTH + 8, 32) == 0);
    }
    for (int row = 0; row < 8; row++) {
        EXPECT("chroma", memcmp(small + (16 + row) * 32, picture + (HEIGHT + 2 + row) * WIDTH + 8, 32) == 0);
    }
    acldvppResizeConfig *config = acldvppCreateResizeConfig();
    unsigned char before[2] = {small[16 * 32], small[16 * 32 + 1]};
    OK(acldvppSetPicDescFormat(target, PIXEL_FORMAT_YVU_SEMIPLANAR_420));
    region = acldvppCreateRoiConfig(8, 39, 4, 19);
    OK(acldvppVpcCropResizeAsync(channel, source, target, region, config, stream));
    OK(acldvppDestroyRoiConfig(region));
    OK(acldvppDestroyResizeConfig(config));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(small, SMALL, out, SMALL, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("VPC formats: NV12 in, NV21 out", before[0] == small[16 * 32 + 1] && before[1] == small[16 * 32]);
    OK(acldvppSetPicDescFormat(target, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
    OK(acldvppSetPicDescSize(source, BYTES - 1));
    EXPECT_CODE("4", ACL_ERROR_INVALID_PARAM, acldvppVpcResizeAsync(channel, source, target, NULL, stream));
    OK(acldvppDestroyPicDesc(source));
    OK(acldvppDestroyPicDesc(target));
    OK(acldvppFree(in));
    OK(acldvppFree(out));
}

static void jpegSurvivesTheRoundTrip(acldvppChannelDesc *channel, aclrtStream stream)
{
    uint32_t size, width, height, decoded;
    acldvppJpegFormat format;
    void *in = mediaBlock(BYTES, picture), *back = mediaBlock(BYTES, NULL);
    acldvppPicDesc *source = describe(in, BYTES, WIDTH, HEIGHT), *target = describe(back, BYTES, WIDTH, HEIGHT);
    acldvppJpegeConfig *config = acldvppCreateJpegeConfig();
    OK(acldvppJpegPredictEncSize(source, config, &size));
    void *file = mediaBlock(size, NULL);
    OK(acldvppJpegEncodeAsync(channel, source, file, &size, config, stream));
    OK(aclrtSynchronizeStream(stream));
    void *host;
    OK(aclrtMallocHost(&host, size));
    OK(aclrtMemcpy(host, size, file, size, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(acldvppJpegGetImageInfoV2(host, size, &width, &height, NULL, &format));
    EXPECT("jpeg", width == WIDTH && height == HEIGHT && format == ACL_JPEG_CSS_420);
    OK(acldvppJpegPredictDecSize(host, size, PIXEL_FORMAT_YUV_SEMIPLANAR_420, &decoded));
    EXPECT("jpeg: width to 128, height to 16", decoded == 128 * 32 * 3 / 2);
    /* The frame's header has height and width: no size of 65535 by 65535 fits the answer. */
    unsigned char *head = host;
    while (head[0] != 0xff || head[1] != 0xc0) {
        head++;
    }
    unsigned char sides[4];
    memcpy(sides, head + 5, sizeof sides);
    memset(head + 5, 0xff, sizeof sides);
    EXPECT("jpeg: beyond 32 bits", acldvppJpegPredictDecSize(host, size, PIXEL_FORMAT_YUV_SEMIPLANAR_420, &decoded) == ACL_ERROR_UNSUPPORTED_JPEG);
    memcpy(head + 5, sides, sizeof sides);
    for (uint32_t cut = 0; cut < size; cut++) { /* of a damaged file, nothing is believed beyond its end */
        (void)acldvppJpegGetImageInfo(host, cut, &width, &height, NULL);
    }
    OK(acldvppJpegDecodeAsync(channel, file, size, target, stream));
    OK(aclrtSynchronizeStream(stream));
    unsigned char now[BYTES];
    OK(aclrtMemcpy(now, BYTES, back, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < BYTES; i++) {
        EXPECT("jpeg", abs(now[i] - picture[i]) <= 2);
    }
    uint32_t room = 128 * 32 * 3 / 2;
    void *open_block = mediaBlock(room, NULL);
    acldvppPicDesc *open = describe(open_block, room, 0, 0);
    OK(acldvppJpegDecodeAsync(channel, file, size, open, stream));
    OK(aclrtSynchronizeStream(stream));
    EXPECT("dvpp_jpeg_decode_async: the decoded size is asked of the description",
           acldvppGetPicDescWidth(open) == WIDTH && acldvppGetPicDescHeight(open) == HEIGHT &&
               acldvppGetPicDescWidthStride(open) == 128 && acldvppGetPicDescHeightStride(open) == 32);
    OK(acldvppSetPicDescSize(open, room - 1));
    EXPECT_CODE("jpeg: room", ACL_ERROR_INVALID_PARAM, acldvppJpegDecodeAsync(channel, file, size, open, stream));
    OK(acldvppDestroyPicDesc(open));
    OK(acldvppFree(open_block));
    OK(acldvppJpegDecodeAsync(channel, file, size / 2, target, stream));
    EXPECT("jpeg: half a file", aclrtSynchronizeStream(stream) != ACL_SUCCESS);
    OK(acldvppDestroyJpegeConfig(config));
    OK(acldvppDestroyPicDesc(source));
    OK(acldvppDestroyPicDesc(target));
    OK(aclrtFreeHost(host));
    OK(acldvppFree(in));
    OK(acldvppFree(back));
    OK(acldvppFree(file));
}

static hi_vpc_pic_info info(hi_u32 size, hi_u32 width, hi_u32 height)
{
    hi_vpc_pic_info made = {NULL, size, width, height, width, height, HI_PIXEL_FORMAT_YUV_SEMIPLANAR_420};
    EXPECT_CODE("3.11", HI_SUCCESS, hi_mpi_dvpp_malloc(0, &made.picture_address, size));
    return made;
}

static void secondInterfaceResizes(void)
{
    hi_vpc_chn channel;
    hi_vpc_chn_attr attributes = {0};
    hi_u32 task;
    EXPECT_CODE("mpi", HI_SUCCESS, hi_mpi_sys_init());
    EXPECT_CODE("mpi", HI_SUCCESS, hi_mpi_vpc_sys_create_chn(&channel, &attributes));
    hi_vpc_pic_info in = info(BYTES, WIDTH, HEIGHT), out = info(SMALL, 32, 16);
    OK(aclrtMemcpy(in.picture_address, BYTES, picture, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE("mpi", HI_SUCCESS, hi_mpi_vpc_resize(channel, &in, &out, 0, 0, 0, &task, -1));
    EXPECT_CODE("mpi", HI_SUCCESS, hi_mpi_vpc_get_process_result(channel, task, -1));
    EXPECT("mpi: asked once", hi_mpi_vpc_get_process_result(channel, task, -1) != HI_SUCCESS);
    OK(aclrtMemcpy(small, SMALL, out.picture_address, SMALL, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int row = 0; row < 16; row++) {
        for (int column = 0; column < 32; column++) {
            EXPECT("mpi: every other sample", small[row * 32 + column] == picture[row * 2 * WIDTH + column * 2]);
        }
    }
    hi_vpc_crop_resize_paste_region paste = {out, {0, 0, 16, 16}, {16, 8, 0}, 4, 16};
    EXPECT_CODE("mpi", HI_SUCCESS, hi_mpi_vpc_crop_resize_paste(channel, &in, &paste, 1, &task, -1));
    EXPECT_CODE("mpi", HI_SUCCESS, hi_mpi_vpc_get_process_result(channel, task, -1));
    OK(aclrtMemcpy(small, SMALL, out.picture_address, SMALL, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("mpi: at its place", small[4 * 32 + 16] == picture[0] && small[5 * 32 + 17] == picture[2 * WIDTH + 1]);
    hi_vpc_crop_resize_region crop = {out, {4, 8, 32, 16}, {32, 16, 0}};
    EXPECT_CODE("mpi", HI_SUCCESS, hi_mpi_vpc_crop_resize(channel, &in, &crop, 1, &task, -1));
    EXPECT_CODE("mpi", HI_SUCCESS, hi_mpi_vpc_get_process_result(channel, task, -1));
    OK(aclrtMemcpy(small, SMALL, out.picture_address, SMALL, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("mpi: the region", small[0] == picture[4 * WIDTH + 8]);
    EXPECT_CODE("mpi", HI_SUCCESS, hi_mpi_vpc_convert_color(channel, &in, &out, &task, -1));
    EXPECT_CODE("mpi", HI_SUCCESS, hi_mpi_vpc_get_process_result(channel, task, -1));
    EXPECT_CODE("mpi", HI_SUCCESS, hi_mpi_dvpp_free(in.picture_address));
    EXPECT_CODE("mpi", HI_SUCCESS, hi_mpi_dvpp_free(out.picture_address));
    EXPECT_CODE("mpi", HI_SUCCESS, hi_mpi_vpc_destroy_chn(channel));
    EXPECT("mpi", hi_mpi_vpc_destroy_chn(channel) != HI_SUCCESS);
    EXPECT_CODE("mpi", HI_SUCCESS, hi_mpi_sys_exit());
}

int main(void)
{
    aclrtStream stream;
    for (int i = 0; i < BYTES; i++) {
        picture[i] = (unsigned char)(i / WIDTH * 3 + i % WIDTH / 2 * 2);
    }
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    acldvppChannelDesc *channel = acldvppCreateChannelDesc();
    OK(acldvppCreateChannel(channel));
    cropTakesTheRegion(channel, stream);
    jpegSurvivesTheRoundTrip(channel, stream);
    OK(acldvppDestroyChannel(channel));
    OK(acldvppDestroyChannelDesc(channel));
    secondInterfaceResizes();
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
