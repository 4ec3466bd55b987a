/* A picture's samples in memory, and moving them: what both media interfaces compute with. */
#ifndef SIMULATOR_PLANES_H
#define SIMULATOR_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../engine.h"

/* The two interfaces number the formats alike. */
enum {
    FORMAT_YUV_400 = 0,
    FORMAT_YUV_SEMIPLANAR_420 = 1,
    FORMAT_YVU_SEMIPLANAR_420 = 2,
    FORMAT_RGB_888 = 12,
    FORMAT_BGR_888 = 13,
};

struct picture {
    void *data;
    uint32_t size;
    int format;
    uint32_t width, height, width_stride, height_stride; /* the width stride in bytes */
};

/* Both ends included. */
struct region {
    uint32_t left, right, top, bottom;
};

/* Takes for each sample of the output region the nearest one of the input region.
 *
 * The real unit filters; what matters here is which bytes are read and written, and when. */
struct step {
    struct picture in, out;
    struct region from, to;
};

/* Bytes that the strides and the format need; 0 when the description is not complete or fits no format. */
size_t pictureBytes(const struct picture *picture);
/* Described, aligned as the unit asks, and no larger than it says. */
bool pictureIsWhole(const struct picture *picture);
struct region pictureRegion(const struct picture *picture);
/* Whether the unit would take the step; ACL_SUCCESS or why not. */
aclError stepCheck(const struct step *step);
/* Moves the samples: a task. ACL_ERROR_RT_AICPU_EXCEPTION when memory is missing. */
aclError stepRun(const struct step *step);

#endif
