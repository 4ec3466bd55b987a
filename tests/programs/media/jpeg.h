/* A JPEG file in device memory, made by the encoder: the JPEGD scenario of the sub-allocation guide. */
#ifndef PROGRAMS_JPEG_H
#define PROGRAMS_JPEG_H
#include "segments.h"

enum { WIDTH = 128, HEIGHT = 16, PICTURE = WIDTH * HEIGHT * 3 / 2 };

static acldvppChannelDesc *channel;
static aclrtStream stream;

static acldvppPicDesc *picture(void *data, uint32_t size) {
    acldvppPicDesc *desc = acldvppCreatePicDesc();
    MUST(acldvppSetPicDescData(desc, data));
    MUST(acldvppSetPicDescSize(desc, size));
    MUST(acldvppSetPicDescFormat(desc, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
    MUST(acldvppSetPicDescWidth(desc, WIDTH));
    MUST(acldvppSetPicDescHeight(desc, HEIGHT));
    MUST(acldvppSetPicDescWidthStride(desc, WIDTH));
    MUST(acldvppSetPicDescHeightStride(desc, HEIGHT));
    return desc;
}

static void openUnit(void) {
    begin();
    MUST(aclrtCreateStream(&stream));
    channel = acldvppCreateChannelDesc();
    MUST(acldvppCreateChannel(channel));
}

static void closeUnit(void) {
    MUST(acldvppDestroyChannel(channel));
    MUST(acldvppDestroyChannelDesc(channel));
    MUST(aclrtDestroyStream(stream));
    end();
}

/* Encodes an even picture into `file`; returns the file's length, which is below `room`. */
static inline uint32_t encode(void *file, uint32_t room) {
    char *raw = dvpp(PICTURE);
    acldvppPicDesc *source = picture(raw, PICTURE);
    acldvppJpegeConfig *config = acldvppCreateJpegeConfig();
    uint32_t length = room;
    MUST(aclrtMemset(raw, PICTURE, 100, PICTURE));
    MUST(acldvppJpegEncodeAsync(channel, source, file, &length, config, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(acldvppDestroyJpegeConfig(config));
    MUST(acldvppDestroyPicDesc(source));
    MUST(acldvppFree(raw));
    return length;
}
#endif
