#include "frames.h"

#include <string.h>

#include "../compute/device_window.h"

/* The documented requirements of the decoder's output. */
enum { STRIDE_ALIGN = 16, HEIGHT_ALIGN = 2 };

static uint32_t number(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint32_t aligned(uint32_t size, uint32_t to)
{
    return (size + to - 1) / to * to;
}

static bool lay(struct picture *out, uint32_t width, uint32_t height)
{
    out->width = width;
    out->height = height;
    if (out->width_stride == 0) {
        out->width_stride = aligned(width, STRIDE_ALIGN);
    }
    if (out->height_stride == 0) {
        out->height_stride = aligned(height, HEIGHT_ALIGN);
    }
    bool is_420 = out->format == FORMAT_YUV_SEMIPLANAR_420 || out->format == FORMAT_YVU_SEMIPLANAR_420;
    return is_420 && pictureIsWhole(out);
}

enum frame_fault frameDecode(const void *coded, uint32_t length, struct picture *out)
{
    const unsigned char *bytes = deviceWindow(coded, length);
    if (bytes == NULL) {
        return FRAME_OUT_OF_REACH;
    }
    if (length < FRAME_HEADER || memcmp(bytes, "ACLV", 4) != 0) {
        return FRAME_DAMAGED;
    }
    uint32_t width = number(bytes + 4), height = number(bytes + 8);
    bool is_even = width % 2 == 0 && height % 2 == 0;
    if (!is_even || width == 0 || height == 0 || width > 4096 || height > 4096 ||
        length != FRAME_HEADER + width * height / 2 * 3) {
        return FRAME_DAMAGED;
    }
    if (!lay(out, width, height)) {
        return FRAME_TOO_LARGE;
    }
    unsigned char *to = deviceWindow(out->data, pictureBytes(out));
    if (to == NULL) {
        return FRAME_OUT_OF_REACH;
    }
    const unsigned char *from = bytes + FRAME_HEADER;
    for (uint32_t row = 0; row < height; row++, from += width) {
        memcpy(to + (size_t)row * out->width_stride, from, width);
    }
    unsigned char *chroma = to + (size_t)out->width_stride * out->height_stride;
    bool v_first = out->format == FORMAT_YVU_SEMIPLANAR_420;
    for (uint32_t row = 0; row < height / 2; row++) {
        unsigned char *line = chroma + (size_t)row * out->width_stride;
        for (uint32_t pair = 0; pair < width; pair += 2, from += 2) {
            line[pair + v_first] = from[0];
            line[pair + !v_first] = from[1];
        }
    }
    return FRAME_WHOLE;
}
