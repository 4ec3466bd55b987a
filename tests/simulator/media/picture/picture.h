/* The objects of the first media interface's handles. */
#ifndef SIMULATOR_PICTURE_H
#define SIMULATOR_PICTURE_H

#include "../planes.h"
#include "acl/ops/dvpp/picture.h"

struct acldvppPicDesc {
    struct picture picture;
    uint32_t ret_code;
};

struct acldvppRoiConfig {
    struct region region;
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

#endif
