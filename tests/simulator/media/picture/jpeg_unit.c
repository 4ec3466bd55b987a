/* acldvppJpeg*: a file's requirements, and decoding and encoding as tasks. */
#include <stdlib.h>

#include "../../compute/device_window.h"
#include "entry.h"
#include "jpeg_planes.h"
#include "picture.h"

enum { HEADER_ROOM = 1024, ALIGN_WIDTH = 128, ALIGN_HEIGHT = 16 };

struct job {
    struct picture picture;
    void *file;
    uint32_t length;
    uint32_t *result; /* of encoding: room before, length after */
    uint32_t level;
    acldvppPicDesc *answered; /* of decoding: the description that gets the decoded size */
};

static uint32_t aligned(uint32_t size, uint32_t to)
{
    return (size + to - 1) / to * to;
}

static bool isSupported(const struct picture *picture)
{
    return picture->format == FORMAT_YUV_SEMIPLANAR_420 || picture->format == FORMAT_YVU_SEMIPLANAR_420;
}

/* A description may leave its size to the file. */
static bool isOpen(const struct picture *picture)
{
    return picture->width == 0 || picture->height == 0 || picture->width_stride == 0 || picture->height_stride == 0;
}

/* Takes what the description leaves open from the file, with the unit's strides. */
static void complete(struct picture *picture, const struct jpeg_info *info)
{
    picture->width = picture->width == 0 ? info->width / 2 * 2 : picture->width;
    picture->height = picture->height == 0 ? info->height / 2 * 2 : picture->height;
    picture->width_stride = picture->width_stride == 0 ? aligned(info->width, ALIGN_WIDTH) : picture->width_stride;
    picture->height_stride = picture->height_stride == 0 ? aligned(info->height, ALIGN_HEIGHT) : picture->height_stride;
}

static aclError decode(void *argument)
{
    const struct job *job = argument;
    struct jpeg_plane planes[3];
    struct jpeg_info info;
    struct picture picture = job->picture;
    const uint8_t *file = deviceWindow(job->file, job->length);
    if (file == NULL || !jpegInfo(file, job->length, &info)) {
        return ACL_ERROR_RT_AICPU_EXCEPTION;
    }
    complete(&picture, &info);
    unsigned char *bytes = deviceWindow(picture.data, pictureBytes(&picture));
    if (bytes == NULL || picture.size < pictureBytes(&picture)) {
        return ACL_ERROR_RT_AICPU_EXCEPTION;
    }
    jpegPlanes(&picture, bytes, planes);
    if (!jpegDecode(file, job->length, planes)) {
        return ACL_ERROR_RT_AICPU_EXCEPTION;
    }
    if (isOpen(&job->picture)) {
        job->answered->picture = picture;
    }
    return ACL_SUCCESS;
}

static aclError encode(void *argument)
{
    const struct job *job = argument;
    struct jpeg_plane planes[3];
    uint8_t *file = deviceWindow(job->file, job->length);
    unsigned char *bytes = deviceWindow(job->picture.data, pictureBytes(&job->picture));
    if (file == NULL || bytes == NULL) {
        return ACL_ERROR_RT_AICPU_EXCEPTION;
    }
    jpegPlanes(&job->picture, bytes, planes);
    *job->result = (uint32_t)jpegEncode(planes, job->level, file, job->length);
    return *job->result == 0 ? ACL_ERROR_RT_AICPU_EXCEPTION : ACL_SUCCESS;
}

static aclError submit(const acldvppChannelDesc *channel, const struct job *wanted, aclError (*run)(void *),
                       aclrtStream stream)
{
    bool is_left_open = wanted->answered != NULL && isOpen(&wanted->picture);
    if (channel == NULL || !channel->created || wanted->file == NULL || wanted->length == 0 ||
        wanted->picture.data == NULL || (pictureBytes(&wanted->picture) == 0 && !is_left_open) ||
        wanted->picture.size < pictureBytes(&wanted->picture)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    if (!isSupported(&wanted->picture)) {
        return ACL_ERROR_FEATURE_UNSUPPORTED;
    }
    struct job *job = malloc(sizeof *job);
    if (job == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    *job = *wanted;
    return aclsimEnqueue(stream, run, free, job);
}

static acldvppJpegFormat formatOf(const struct jpeg_info *info)
{
    if (info->components == 1) {
        return ACL_JPEG_CSS_GRAY;
    }
    switch (info->across[0] << 4 | info->down[0]) {
    case 0x11: return ACL_JPEG_CSS_444;
    case 0x21: return ACL_JPEG_CSS_422;
    case 0x22: return ACL_JPEG_CSS_420;
    case 0x12: return ACL_JPEG_CSS_440;
    case 0x41: return ACL_JPEG_CSS_411;
    default: return ACL_JPEG_CSS_UNKNOWN;
    }
}

/* Any of the answers may be left out. */
aclError acldvppJpegGetImageInfoV2(const void *data, uint32_t size, uint32_t *width, uint32_t *height,
                                   int32_t *components, acldvppJpegFormat *format)
{
    ENTER();
    struct jpeg_info info;
    REQUIRE(data != NULL && size > 0, ACL_ERROR_INVALID_PARAM);
    REQUIRE(jpegInfo(data, size, &info), ACL_ERROR_UNSUPPORTED_JPEG);
    if (width != NULL) {
        *width = info.width;
    }
    if (height != NULL) {
        *height = info.height;
    }
    if (components != NULL) {
        *components = info.components;
    }
    if (format != NULL) {
        *format = formatOf(&info);
    }
    ANSWER(ACL_SUCCESS);
}

aclError acldvppJpegGetImageInfo(const void *data, uint32_t size, uint32_t *width, uint32_t *height,
                                 int32_t *components)
{
    return acldvppJpegGetImageInfoV2(data, size, width, height, components, NULL);
}

aclError acldvppJpegPredictDecSize(const void *data, uint32_t dataSize, acldvppPixelFormat outputPixelFormat,
                                   uint32_t *decSize)
{
    ENTER();
    struct jpeg_info info;
    struct picture wanted = {.format = (int)outputPixelFormat};
    REQUIRE(data != NULL && dataSize > 0 && decSize != NULL, ACL_ERROR_INVALID_PARAM);
    REQUIRE(isSupported(&wanted), ACL_ERROR_FEATURE_UNSUPPORTED);
    REQUIRE(jpegInfo(data, dataSize, &info), ACL_ERROR_UNSUPPORTED_JPEG);
    uint64_t bytes = (uint64_t)aligned(info.width, ALIGN_WIDTH) * aligned(info.height, ALIGN_HEIGHT) / 2 * 3;
    REQUIRE(bytes <= UINT32_MAX, ACL_ERROR_UNSUPPORTED_JPEG);
    *decSize = (uint32_t)bytes;
    ANSWER(ACL_SUCCESS);
}

aclError acldvppJpegPredictEncSize(const acldvppPicDesc *inputDesc, const acldvppJpegeConfig *config, uint32_t *size)
{
    ENTER();
    REQUIRE(inputDesc != NULL && config != NULL && size != NULL, ACL_ERROR_INVALID_PARAM);
    REQUIRE(pictureBytes(&inputDesc->picture) > 0, ACL_ERROR_INVALID_PARAM);
    /* A coefficient of the finest quantiser can take more bits than its sample had. */
    uint64_t bytes = (uint64_t)aligned(inputDesc->picture.width, 16) * aligned(inputDesc->picture.height, 16) * 3 + HEADER_ROOM;
    REQUIRE(bytes <= UINT32_MAX, ACL_ERROR_INVALID_PARAM);
    *size = (uint32_t)bytes;
    ANSWER(ACL_SUCCESS);
}

aclError acldvppJpegDecodeAsync(acldvppChannelDesc *channelDesc, const void *data, uint32_t size,
                                acldvppPicDesc *outputDesc, aclrtStream stream)
{
    ENTER();
    REQUIRE(outputDesc != NULL, ACL_ERROR_INVALID_PARAM);
    struct job job = {.picture = outputDesc->picture, .file = (void *)data, .length = size, .answered = outputDesc};
    ANSWER(submit(channelDesc, &job, decode, stream));
}

aclError acldvppJpegEncodeAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc, const void *data,
                                uint32_t *size, acldvppJpegeConfig *config, aclrtStream stream)
{
    ENTER();
    REQUIRE(inputDesc != NULL && size != NULL && config != NULL, ACL_ERROR_INVALID_PARAM);
    struct job job = {
        .picture = inputDesc->picture, .file = (void *)data, .length = *size, .result = size, .level = config->level,
    };
    ANSWER(submit(channelDesc, &job, encode, stream));
}
