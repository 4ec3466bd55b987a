/* Crop, resize and paste: one task that takes for each sample of the output the nearest one of the input.
 *
 * The real unit filters; what matters here is which bytes are read and written, and when. */
#include <stdlib.h>
#include <string.h>

#include "../../compute/device_window.h"
#include "entry.h"
#include "picture.h"

struct step {
    acldvppPicDesc in, out;
    acldvppRoiConfig from, to;
};

static uint32_t span(uint32_t first, uint32_t last)
{
    return last - first + 1;
}

/* Regions start at even and end at odd pixels, so that they hold whole chroma samples. */
static bool is_region(const acldvppRoiConfig *region, const acldvppPicDesc *picture)
{
    return region->left <= region->right && region->top <= region->bottom && region->right < picture->width_stride &&
           region->bottom < picture->height_stride && region->left % 2 == 0 && region->top % 2 == 0 &&
           region->right % 2 == 1 && region->bottom % 2 == 1;
}

static bool is_whole(const acldvppPicDesc *picture)
{
    size_t bytes = picture_bytes(picture);
    return picture->data != NULL && bytes > 0 && picture->size >= bytes && picture->width_stride % 16 == 0 &&
           picture->height_stride % 2 == 0;
}

static void move_plane(const struct step *step, const struct plane *in, const struct plane *out,
                       const unsigned char *source, unsigned char *target)
{
    uint32_t columns = span(step->to.left, step->to.right) / out->across;
    uint32_t rows = span(step->to.top, step->to.bottom) / out->down;
    uint32_t in_columns = span(step->from.left, step->from.right) / in->across;
    uint32_t in_rows = span(step->from.top, step->from.bottom) / in->down;
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t in_row = step->from.top / in->down + (uint32_t)((uint64_t)row * in_rows / rows);
        const unsigned char *from = source + in->offset + (size_t)in_row * in->stride;
        unsigned char *to = target + out->offset + (size_t)(step->to.top / out->down + row) * out->stride;
        for (uint32_t column = 0; column < columns; column++) {
            uint32_t in_column = step->from.left / in->across + (uint32_t)((uint64_t)column * in_columns / columns);
            memcpy(to + (size_t)(step->to.left / out->across + column) * out->unit,
                   from + (size_t)in_column * in->unit, out->unit);
        }
    }
}

static aclError run(void *argument)
{
    const struct step *step = argument;
    struct plane in[2], out[2];
    const unsigned char *source = device_window(step->in.data, picture_bytes(&step->in));
    unsigned char *target = device_window(step->out.data, picture_bytes(&step->out));
    if (source == NULL || target == NULL)
        return ACL_ERROR_RT_AICPU_EXCEPTION;
    int planes = picture_planes(&step->in, in);
    (void)picture_planes(&step->out, out);
    for (int i = 0; i < planes; i++)
        move_plane(step, &in[i], &out[i], source, target);
    return ACL_SUCCESS;
}

static acldvppRoiConfig all_of(const acldvppPicDesc *picture)
{
    return (acldvppRoiConfig){0, picture->width / 2 * 2 - 1, 0, picture->height / 2 * 2 - 1};
}

/* A NULL region is the whole picture. */
static aclError submit(const acldvppChannelDesc *channel, const acldvppPicDesc *in, const acldvppPicDesc *out,
                       const acldvppRoiConfig *from, const acldvppRoiConfig *to, aclrtStream stream)
{
    if (channel == NULL || !channel->created || in == NULL || out == NULL || !is_whole(in) || !is_whole(out))
        return ACL_ERROR_INVALID_PARAM;
    if (in->format != out->format) /* the unit converts colours; the simulator does not */
        return ACL_ERROR_FEATURE_UNSUPPORTED;
    acldvppRoiConfig source = from == NULL ? all_of(in) : *from, target = to == NULL ? all_of(out) : *to;
    if (!is_region(&source, in) || !is_region(&target, out))
        return ACL_ERROR_INVALID_PARAM;
    struct step *step = malloc(sizeof *step);
    if (step == NULL)
        return ACL_ERROR_BAD_ALLOC;
    *step = (struct step){*in, *out, source, target};
    return aclsimEnqueue(stream, run, free, step);
}

aclError acldvppVpcResizeAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc, acldvppPicDesc *outputDesc,
                               acldvppResizeConfig *resizeConfig, aclrtStream stream)
{
    ENTER();
    REQUIRE(resizeConfig != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(submit(channelDesc, inputDesc, outputDesc, NULL, NULL, stream));
}

aclError acldvppVpcCropAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc, acldvppPicDesc *outputDesc,
                             acldvppRoiConfig *cropArea, aclrtStream stream)
{
    ENTER();
    REQUIRE(cropArea != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(submit(channelDesc, inputDesc, outputDesc, cropArea, NULL, stream));
}

aclError acldvppVpcCropResizeAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc,
                                   acldvppPicDesc *outputDesc, acldvppRoiConfig *cropArea,
                                   acldvppResizeConfig *resizeConfig, aclrtStream stream)
{
    ENTER();
    REQUIRE(cropArea != NULL && resizeConfig != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(submit(channelDesc, inputDesc, outputDesc, cropArea, NULL, stream));
}

aclError acldvppVpcCropAndPasteAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc,
                                     acldvppPicDesc *outputDesc, acldvppRoiConfig *cropArea,
                                     acldvppRoiConfig *pasteArea, aclrtStream stream)
{
    ENTER();
    REQUIRE(cropArea != NULL && pasteArea != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(submit(channelDesc, inputDesc, outputDesc, cropArea, pasteArea, stream));
}

aclError acldvppVpcCropResizePasteAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc,
                                        acldvppPicDesc *outputDesc, acldvppRoiConfig *cropArea,
                                        acldvppRoiConfig *pasteArea, acldvppResizeConfig *resizeConfig,
                                        aclrtStream stream)
{
    ENTER();
    REQUIRE(cropArea != NULL && pasteArea != NULL && resizeConfig != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(submit(channelDesc, inputDesc, outputDesc, cropArea, pasteArea, stream));
}

static aclError submit_batch(acldvppChannelDesc *channel, acldvppBatchPicDesc *sources, const uint32_t *counts,
                             uint32_t size, acldvppBatchPicDesc *targets, acldvppRoiConfig *const regions[],
                             aclrtStream stream)
{
    if (counts == NULL || regions == NULL)
        return ACL_ERROR_INVALID_PARAM;
    uint32_t next = 0;
    for (uint32_t source = 0; source < size; source++)
        for (uint32_t i = 0; i < counts[source]; i++, next++) {
            if (regions[next] == NULL)
                return ACL_ERROR_INVALID_PARAM;
            aclError status = submit(channel, acldvppGetPicDesc(sources, source), acldvppGetPicDesc(targets, next),
                                     regions[next], NULL, stream);
            if (status != ACL_SUCCESS)
                return status;
        }
    return ACL_SUCCESS;
}

aclError acldvppVpcBatchCropAsync(acldvppChannelDesc *channelDesc, acldvppBatchPicDesc *srcBatchPicDescs,
                                  uint32_t *roiNums, uint32_t size, acldvppBatchPicDesc *dstBatchPicDescs,
                                  acldvppRoiConfig *cropAreas[], aclrtStream stream)
{
    ENTER();
    ANSWER(submit_batch(channelDesc, srcBatchPicDescs, roiNums, size, dstBatchPicDescs, cropAreas, stream));
}

aclError acldvppVpcBatchCropResizeAsync(acldvppChannelDesc *channelDesc, acldvppBatchPicDesc *srcBatchPicDescs,
                                        uint32_t *roiNums, uint32_t size, acldvppBatchPicDesc *dstBatchPicDescs,
                                        acldvppRoiConfig *cropAreas[], acldvppResizeConfig *resizeConfig,
                                        aclrtStream stream)
{
    ENTER();
    REQUIRE(resizeConfig != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(submit_batch(channelDesc, srcBatchPicDescs, roiNums, size, dstBatchPicDescs, cropAreas, stream));
}
