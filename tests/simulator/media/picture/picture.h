/* Pictures as rows of samples, and the settings of the media units. */
#ifndef SIMULATOR_PICTURE_H
#define SIMULATOR_PICTURE_H

#include <stdbool.h>

#include "acl/ops/dvpp/picture.h"

struct acldvppPicDesc {
    void *data;
    uint32_t size;
    acldvppPixelFormat format;
    uint32_t width, height, width_stride, height_stride; /* the width stride in bytes */
    uint32_t ret_code;
};

/* Both ends included. */
struct acldvppRoiConfig {
    uint32_t left, right, top, bottom;
};

struct acldvppResizeConfig {
    uint32_t interpolation;
};

struct acldvppJpegeConfig {
    uint32_t level;
};

struct acldvppChannelDesc {
    uint64_t id;
    uint32_t mode;
    bool created;
};

/* One plane of a picture: samples of `unit` bytes, each for `across` by `down` pixels. */
struct plane {
    size_t offset;
    uint32_t stride;
    uint32_t unit, across, down;
};

/* The planes of a format, up to 2; 0 for one that the simulator does not have. */
int picture_planes(const acldvppPicDesc *picture, struct plane planes[2]);
/* Bytes that the strides and the format need; 0 when the description is not complete or fits no format. */
size_t picture_bytes(const acldvppPicDesc *picture);

#endif
