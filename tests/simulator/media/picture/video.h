/* The objects of the decoder's handles. */
#ifndef SIMULATOR_VIDEO_H
#define SIMULATOR_VIDEO_H

#include "acl/ops/dvpp/video.h"

struct acldvppStreamDesc {
    void *data;
    uint32_t size;
    acldvppStreamFormat format;
    uint64_t timestamp;
    uint32_t ret_code;
    uint8_t eos;
};

struct aclvdecChannelDesc {
    uint32_t id, width, height, references, mode;
    uint64_t thread;
    aclvdecCallback callback;
    acldvppStreamFormat coding;
    acldvppPixelFormat format;
    aclrtStream stream; /* of a created channel: its tasks, and its reports to `thread` */
};

#endif
