/* acldvppPng*: a file's requirements, and decoding as a task. Checks are those of image_processor_v100.cpp (CANN 20.0) and of the interface's
 * reference up to 9.0. */
#include <stdlib.h>

#include "../../compute/device_window.h"
#include "entry.h"
#include "picture.h"
#include "png.h"

enum { SIDE_LEAST = 32, SIDE_MOST = 4096, ALIGN_WIDTH = 128, ALIGN_HEIGHT = 16 };

struct job {
    acldvppPicDesc *answered; /* gets what the decoder wrote */
    struct picture picture;
    const void *file;
    uint32_t length;
};

static uint32_t aligned(uint32_t size, uint32_t to)
{
    return (size + to - 1) / to * to;
}

aclError acldvppPngGetImageInfo(const void *data, uint32_t dataSize, uint32_t *width, uint32_t *height,
                                int32_t *components)
{
    ENTER();
    struct png_info info;
    REQUIRE(data != NULL && width != NULL && height != NULL && components != NULL, ACL_ERROR_INVALID_PARAM);
    REQUIRE(pngInfo(data, dataSize, &info), ACL_ERROR_INVALID_PARAM);
    *width = info.width;
    *height = info.height;
    REQUIRE(info.channels != 0, ACL_ERROR_FORMAT_NOT_MATCH);
    *components = (int32_t)info.channels;
    ANSWER(ACL_SUCCESS);
}

/* An unknown format takes the room of the larger one. */
aclError acldvppPngPredictDecSize(const void *data, uint32_t dataSize, acldvppPixelFormat outputPixelFormat,
                                  uint32_t *decSize)
{
    ENTER();
    struct png_info info;
    REQUIRE(data != NULL && decSize != NULL, ACL_ERROR_INVALID_PARAM);
    bool is_rgb = outputPixelFormat == PIXEL_FORMAT_RGB_888;
    REQUIRE(is_rgb || outputPixelFormat == PIXEL_FORMAT_RGBA_8888 || outputPixelFormat == PIXEL_FORMAT_UNKNOWN,
            ACL_ERROR_FORMAT_NOT_MATCH);
    REQUIRE(pngInfo(data, dataSize, &info), ACL_ERROR_INVALID_PARAM);
    REQUIRE(info.width >= SIDE_LEAST && info.width <= SIDE_MOST, ACL_ERROR_INVALID_PARAM);
    REQUIRE(info.height >= SIDE_LEAST && info.height <= SIDE_MOST, ACL_ERROR_INVALID_PARAM);
    uint32_t row = (aligned(info.width, ALIGN_WIDTH) * info.depth * (is_rgb ? 3 : 4) + 7) / 8;
    uint64_t size = (uint64_t)row * aligned(info.height, ALIGN_HEIGHT);
    *decSize = (uint32_t)size;
    REQUIRE(size > 0 && size <= (uint64_t)SIDE_MOST * SIDE_MOST * 4 * 2, ACL_ERROR_INVALID_PARAM);
    ANSWER(ACL_SUCCESS);
}

/* Strides that the description leaves open are the unit's: 128 pixels, 16 rows. */
static aclError decode(void *argument)
{
    const struct job *job = argument;
    struct picture picture = job->picture;
    struct png_info info;
    const uint8_t *file = deviceWindow(job->file, job->length);
    if (file == NULL || !pngInfo(file, job->length, &info) || info.width < SIDE_LEAST || info.width > SIDE_MOST ||
        info.height < SIDE_LEAST || info.height > SIDE_MOST) {
        return ACL_ERROR_RT_AICPU_EXCEPTION;
    }
    if (picture.format == (int)PIXEL_FORMAT_UNKNOWN) {
        picture.format = info.channels % 2 == 0 ? (int)PIXEL_FORMAT_RGBA_8888 : (int)PIXEL_FORMAT_RGB_888;
    }
    uint32_t channels = picture.format == (int)PIXEL_FORMAT_RGBA_8888 ? 4 : 3;
    picture.width = info.width;
    picture.height = info.height;
    if (picture.width_stride == 0) {
        picture.width_stride = aligned(info.width, ALIGN_WIDTH) * channels;
    }
    if (picture.height_stride == 0) {
        picture.height_stride = aligned(info.height, ALIGN_HEIGHT);
    }
    size_t bytes = (size_t)picture.width_stride * picture.height_stride;
    uint8_t *out = deviceWindow(picture.data, bytes);
    if (out == NULL || picture.size < bytes || picture.width_stride < info.width * channels ||
        picture.height_stride < info.height || !pngDecode(file, job->length, out, picture.width_stride, (int)channels)) {
        return ACL_ERROR_RT_AICPU_EXCEPTION;
    }
    job->answered->picture = picture;
    return ACL_SUCCESS;
}

aclError acldvppPngDecodeAsync(acldvppChannelDesc *channelDesc, const void *data, uint32_t size,
                               acldvppPicDesc *outputDesc, aclrtStream stream)
{
    ENTER();
    REQUIRE(channelDesc != NULL && channelDesc->created && data != NULL && size > 0 && outputDesc != NULL,
            ACL_ERROR_INVALID_PARAM);
    int format = outputDesc->picture.format;
    REQUIRE(format == (int)PIXEL_FORMAT_RGB_888 || format == (int)PIXEL_FORMAT_UNKNOWN, ACL_ERROR_FORMAT_NOT_MATCH);
    struct job *job = malloc(sizeof *job);
    REQUIRE(job != NULL, ACL_ERROR_BAD_ALLOC);
    *job = (struct job){.answered = outputDesc, .picture = outputDesc->picture, .file = data, .length = size};
    ANSWER(aclsimEnqueue(stream, decode, free, job));
}
