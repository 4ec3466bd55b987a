//@ run
//@ link: acl_dvpp
/* The PNG unit: files of each color type, their requirements, and damaged ones. "PNGD" is the interface's reference (PNGD functions and
 * restrictions, CANN 8.0), "V100" image_processor_v100.cpp of CANN 20.0. */
#include "acl/ops/acl_dvpp.h"
#include "expect.h"
#include "png_files.h"

enum { ROOM = 128 * 4 * 48 };

static acldvppChannelDesc *channel;
static aclrtStream stream;
static char *file, *out;
static uint8_t decoded[ROOM];

static acldvppPicDesc *output(acldvppPixelFormat format)
{
    acldvppPicDesc *desc = acldvppCreatePicDesc();
    OK(acldvppSetPicDescData(desc, out));
    OK(acldvppSetPicDescSize(desc, ROOM));
    OK(acldvppSetPicDescFormat(desc, format));
    return desc;
}

/* The code of the task. */
static aclError decode(const uint8_t *bytes, uint32_t size, acldvppPicDesc *desc)
{
    OK(aclrtMemcpy(file, 1024, bytes, size, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(acldvppPngDecodeAsync(channel, file, size, desc, stream));
    return aclrtSynchronizeStream(stream);
}

static uint8_t sample(uint32_t x, uint32_t y, int c)
{
    return (uint8_t)(x / 4 * (uint32_t)(c + 1) * 16 + y / 4 * 8);
}

/* `from` channels in the file, the last of an even number being alpha; `to` in the picture. */
static void holds(const uint8_t *bytes, uint32_t size, int from, int to, acldvppPixelFormat format)
{
    uint32_t width, height, room;
    int32_t components;
    acldvppPicDesc *desc = output(format);
    OK(acldvppPngGetImageInfo(bytes, size, &width, &height, &components));
    EXPECT("V100: components by color type", components == from);
    OK(acldvppPngPredictDecSize(bytes, size, to == 3 ? PIXEL_FORMAT_RGB_888 : PIXEL_FORMAT_UNKNOWN, &room));
    EXPECT("PNGD: width to 128, height to 16", room == 128u * (uint32_t)to * ((height + 15) / 16 * 16));
    OK(aclrtMemset(out, ROOM, 0xee, ROOM));
    OK(decode(bytes, size, desc));
    OK(aclrtMemcpy(decoded, ROOM, out, ROOM, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("PNGD: the file's format if none is asked for",
           acldvppGetPicDescFormat(desc) == (to == 4 ? PIXEL_FORMAT_RGBA_8888 : PIXEL_FORMAT_RGB_888));
    EXPECT("PNGD: strides", acldvppGetPicDescWidthStride(desc) == 128u * (uint32_t)to);
    EXPECT("PNGD: the size does not change", acldvppGetPicDescWidth(desc) == width && acldvppGetPicDescHeight(desc) == height);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *pixel = decoded + (y * 128 + x) * (uint32_t)to;
            for (int c = 0; c < 3; c++) {
                EXPECT("samples", pixel[c] == sample(x, y, from < 3 ? 0 : c));
            }
            EXPECT("alpha", to == 3 || pixel[3] == sample(x, y, from - 1));
        }
    }
    OK(acldvppDestroyPicDesc(desc));
}

static void headersAreChecked(void)
{
    uint32_t width, height, room;
    int32_t components;
    uint8_t other[sizeof png_rgb];
    memcpy(other, png_rgb, sizeof other);
    EXPECT_CODE("V100: more than 29 bytes", ACL_ERROR_INVALID_PARAM,
                acldvppPngGetImageInfo(other, 29, &width, &height, &components));
    OK(acldvppPngGetImageInfo(other, 30, &width, &height, &components));
    EXPECT_CODE("V100: all answers are asked for", ACL_ERROR_INVALID_PARAM,
                acldvppPngGetImageInfo(other, sizeof other, &width, &height, NULL));
    EXPECT_CODE("V100: formats", ACL_ERROR_FORMAT_NOT_MATCH,
                acldvppPngPredictDecSize(other, sizeof other, PIXEL_FORMAT_BGR_888, &room));
    OK(acldvppPngPredictDecSize(other, sizeof other, PIXEL_FORMAT_RGBA_8888, &room));
    EXPECT("V100: four bytes", room == 128 * 4 * 32);
    other[24] = 16;
    OK(acldvppPngPredictDecSize(other, sizeof other, PIXEL_FORMAT_RGB_888, &room));
    EXPECT("V100: by the bits of a sample", room == 128 * 2 * 3 * 32);
    other[24] = 8, other[25] = 3;
    EXPECT_CODE("V100: no palettes", ACL_ERROR_FORMAT_NOT_MATCH,
                acldvppPngGetImageInfo(other, sizeof other, &width, &height, &components));
    other[25] = 2, other[19] = 31;
    EXPECT_CODE("PNGD: 32 to 4096", ACL_ERROR_INVALID_PARAM,
                acldvppPngPredictDecSize(other, sizeof other, PIXEL_FORMAT_RGB_888, &room));
    other[18] = 0x10, other[19] = 1;
    EXPECT_CODE("PNGD: 32 to 4096", ACL_ERROR_INVALID_PARAM,
                acldvppPngPredictDecSize(other, sizeof other, PIXEL_FORMAT_RGB_888, &room));
    other[1] = 'Q';
    EXPECT_CODE("V100: the signature", ACL_ERROR_INVALID_PARAM,
                acldvppPngGetImageInfo(other, sizeof other, &width, &height, &components));
}

static void refusals(void)
{
    acldvppPicDesc *desc = output(PIXEL_FORMAT_RGBA_8888);
    OK(aclrtMemcpy(file, 1024, png_rgba, sizeof png_rgba, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_CODE("V100: RGB or none", ACL_ERROR_FORMAT_NOT_MATCH,
                acldvppPngDecodeAsync(channel, file, sizeof png_rgba, desc, stream));
    OK(acldvppSetPicDescFormat(desc, PIXEL_FORMAT_RGB_888));
    EXPECT_CODE("V100: a file", ACL_ERROR_INVALID_PARAM, acldvppPngDecodeAsync(channel, NULL, 1, desc, stream));
    OK(acldvppSetPicDescSize(desc, 128 * 3 * 48 - 1));
    EXPECT("the task fails without room", decode(png_rgba, sizeof png_rgba, desc) != ACL_SUCCESS);
    OK(acldvppSetPicDescSize(desc, 128 * 3 * 48));
    OK(decode(png_rgba, sizeof png_rgba, desc));
    OK(acldvppDestroyPicDesc(desc));
}

/* Nothing but a code comes of a damaged file. */
static void damage(const uint8_t *bytes, uint32_t size)
{
    uint8_t other[1024];
    int failed = 0;
    acldvppPicDesc *desc = output(PIXEL_FORMAT_RGB_888);
    for (uint32_t cut = 1; cut < size; cut++) {
        OK(acldvppSetPicDescWidthStride(desc, 0));
        OK(acldvppSetPicDescHeightStride(desc, 0));
        failed += decode(bytes, cut, desc) != ACL_SUCCESS;
        memcpy(other, bytes, size);
        other[cut] ^= (uint8_t)(1 << cut % 8);
        (void)decode(other, size, desc);
    }
    EXPECT("most cuts lose samples", failed > (int)size - 30);
    OK(acldvppDestroyPicDesc(desc));
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    channel = acldvppCreateChannelDesc();
    OK(acldvppCreateChannel(channel));
    OK(acldvppMalloc((void **)&file, 1024));
    OK(acldvppMalloc((void **)&out, ROOM));
    headersAreChecked();
    holds(png_rgba, sizeof png_rgba, 4, 3, PIXEL_FORMAT_RGB_888);
    holds(png_rgba, sizeof png_rgba, 4, 4, PIXEL_FORMAT_UNKNOWN);
    holds(png_rgb, sizeof png_rgb, 3, 3, PIXEL_FORMAT_UNKNOWN);
    holds(png_gray, sizeof png_gray, 1, 3, PIXEL_FORMAT_UNKNOWN);
    holds(png_agray, sizeof png_agray, 2, 3, PIXEL_FORMAT_RGB_888);
    holds(png_agray, sizeof png_agray, 2, 4, PIXEL_FORMAT_UNKNOWN);
    refusals();
    damage(png_rgb, sizeof png_rgb);
    damage(png_rgba, sizeof png_rgba);
    OK(acldvppFree(file));
    OK(acldvppFree(out));
    OK(acldvppDestroyChannel(channel));
    OK(acldvppDestroyChannelDesc(channel));
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
