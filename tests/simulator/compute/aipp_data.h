/* The parameters of dynamic AIPP, as the chip reads them from an input's buffer: 64 bytes, and 96 for each image. */
#ifndef SIMULATOR_AIPP_DATA_H
#define SIMULATOR_AIPP_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "../om/om.h"
#include "acl/acl_mdl.h"

/* Numbers of the chip, which differ from those of the interface. */
enum {
    AIPP_YUV420SP = 1, AIPP_XRGB8888 = 2, AIPP_RGB888 = 5, AIPP_ARGB8888 = 6, AIPP_YUYV = 7, AIPP_YUV422SP = 8,
    AIPP_AYUV444 = 9, AIPP_YUV400 = 10, AIPP_RAW10 = 11, AIPP_RAW12 = 12, AIPP_RAW16 = 13, AIPP_RAW24 = 16,
};

struct aipp_data {
    uint8_t format;
    int8_t csc, rbuv_swap, ax_swap, batches, reserved1[3];
    int32_t source_width, source_height;
    int16_t matrix[9], reserved2[3];
    uint8_t output_bias[3], input_bias[3], reserved3[2];
    int8_t reserved4[16];
};

struct aipp_image {
    int8_t crop, resize, padding, rotate, reserved1[4];
    int32_t crop_x, crop_y, crop_width, crop_height;
    int32_t resize_from_width, resize_from_height, resize_width, resize_height;
    int32_t top, bottom, left, right;
    int16_t mean[4];
    uint16_t least[4], variance[4]; /* half floats */
    int8_t reserved2[16];
};

enum { AIPP_DATA_BYTES = 64, AIPP_IMAGE_BYTES = 96 };
_Static_assert(sizeof(struct aipp_data) == AIPP_DATA_BYTES, "the chip's layout");
_Static_assert(sizeof(struct aipp_image) == AIPP_IMAGE_BYTES, "the chip's layout");

struct aclmdlAIPP {
    uint64_t batches;
    struct aipp_data data;
    struct aipp_image image[];
};

/* Bytes of the images before AIPP; 0 for a format without pixels. */
uint64_t aippSourceBytes(const struct aipp_data *data, uint64_t batches);
/* Whether they fit each other and the model's input of that index. */
aclError aippCheck(const struct om_signature *signature, size_t index, const aclmdlAIPP *set);

#endif
