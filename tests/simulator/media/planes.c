#include "planes.h"

#include <string.h>

#include "../compute/device_window.h"

/* Samples of `unit` bytes, each for `across` by `down` pixels. */
struct plane {
    size_t offset;
    uint32_t stride;
    uint32_t unit, across, down;
};

static int planesOf(const struct picture *picture, struct plane planes[2])
{
    size_t first = (size_t)picture->width_stride * picture->height_stride;
    switch (picture->format) {
    case FORMAT_YUV_400: planes[0] = (struct plane){0, picture->width_stride, 1, 1, 1}; return 1;
    case FORMAT_YUV_SEMIPLANAR_420:
    case FORMAT_YVU_SEMIPLANAR_420:
        planes[0] = (struct plane){0, picture->width_stride, 1, 1, 1};
        planes[1] = (struct plane){first, picture->width_stride, 2, 2, 2};
        return 2;
    case FORMAT_RGB_888:
    case FORMAT_BGR_888: planes[0] = (struct plane){0, picture->width_stride, 3, 1, 1}; return 1;
    default: return 0;
    }
}

size_t pictureBytes(const struct picture *picture)
{
    struct plane planes[2];
    int count = planesOf(picture, planes);
    if (count == 0 || picture->width == 0 || picture->height == 0 ||
        (size_t)picture->width * planes[0].unit > picture->width_stride || picture->height > picture->height_stride) {
        return 0;
    }
    size_t first = (size_t)picture->width_stride * picture->height_stride;
    return count == 1 ? first : first + first / 2;
}

bool pictureIsWhole(const struct picture *picture)
{
    size_t bytes = pictureBytes(picture);
    return picture->data != NULL && bytes > 0 && picture->size >= bytes && picture->width_stride % 16 == 0 &&
           picture->height_stride % 2 == 0;
}

struct region pictureRegion(const struct picture *picture)
{
    return (struct region){0, picture->width / 2 * 2 - 1, 0, picture->height / 2 * 2 - 1};
}

/* Regions start at even and end at odd pixels, so that they hold whole chroma samples. */
static bool isRegion(const struct region *region, const struct picture *picture)
{
    return region->left <= region->right && region->top <= region->bottom && region->right < picture->width_stride &&
           region->bottom < picture->height_stride && region->left % 2 == 0 && region->top % 2 == 0 &&
           region->right % 2 == 1 && region->bottom % 2 == 1;
}

static bool is420(int format)
{
    return format == FORMAT_YUV_SEMIPLANAR_420 || format == FORMAT_YVU_SEMIPLANAR_420;
}

aclError stepCheck(const struct step *step)
{
    if (!pictureIsWhole(&step->in) || !pictureIsWhole(&step->out)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    /* The unit converts all formats; the simulator exchanges chroma samples. */
    if (step->in.format != step->out.format && !(is420(step->in.format) && is420(step->out.format))) {
        return ACL_ERROR_FEATURE_UNSUPPORTED;
    }
    if (!isRegion(&step->from, &step->in) || !isRegion(&step->to, &step->out)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    return ACL_SUCCESS;
}

static uint32_t span(uint32_t first, uint32_t last)
{
    return last - first + 1;
}

static void movePlane(const struct step *step, const struct plane *in, const struct plane *out,
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
            unsigned char *sample = to + (size_t)(step->to.left / out->across + column) * out->unit;
            memcpy(sample, from + (size_t)in_column * in->unit, out->unit);
            if (out->unit == 2 && step->in.format != step->out.format) {
                unsigned char first = sample[0];
                sample[0] = sample[1];
                sample[1] = first;
            }
        }
    }
}

aclError stepRun(const struct step *step)
{
    struct plane in[2], out[2];
    const unsigned char *source = deviceWindow(step->in.data, pictureBytes(&step->in));
    unsigned char *target = deviceWindow(step->out.data, pictureBytes(&step->out));
    if (source == NULL || target == NULL) {
        return ACL_ERROR_RT_AICPU_EXCEPTION;
    }
    int planes = planesOf(&step->in, in);
    (void)planesOf(&step->out, out);
    for (int i = 0; i < planes; i++) {
        movePlane(step, &in[i], &out[i], source, target);
    }
    return ACL_SUCCESS;
}
