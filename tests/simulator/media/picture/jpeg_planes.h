/* The addresses of a 4:2:0 picture's three planes. */
#ifndef SIMULATOR_JPEG_PLANES_H
#define SIMULATOR_JPEG_PLANES_H

#include "../planes.h"
#include "jpeg.h"

static inline void jpegPlanes(const struct picture *picture, unsigned char *bytes, struct jpeg_plane planes[3])
{
    bool v_first = picture->format == FORMAT_YVU_SEMIPLANAR_420;
    unsigned char *chroma = bytes + (size_t)picture->width_stride * picture->height_stride;
    uint32_t width = (picture->width + 1) / 2, height = (picture->height + 1) / 2;
    planes[0] = (struct jpeg_plane){bytes, 1, picture->width_stride, picture->width, picture->height};
    planes[v_first ? 2 : 1] = (struct jpeg_plane){chroma, 2, picture->width_stride, width, height};
    planes[v_first ? 1 : 2] = (struct jpeg_plane){chroma + 1, 2, picture->width_stride, width, height};
}

#endif
