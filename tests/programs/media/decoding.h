/* A decoder's channel, its thread, and frames for it: the VDEC scenario of the sub-allocation guide. */
#ifndef PROGRAMS_DECODING_H
#define PROGRAMS_DECODING_H
#include "../simulator/coded.h"
#include "segments.h"
#include <pthread.h>

enum { WIDTH = 40, HEIGHT = 6, STRIDE = 48, CODED = CODED_BYTES(WIDTH, HEIGHT), PICTURE = STRIDE * HEIGHT * 3 / 2 };

static _Atomic int ready, over, decoded;
static aclvdecChannelDesc *channel;
static pthread_t reports;

static void *report(void *unused) {
    (void)unused;
    MUST(aclrtSetDevice(0));
    ready = 1;
    while (!over) {
        (void)aclrtProcessReport(10);
    }
    MUST(aclrtResetDevice(0));
    return NULL;
}

/* Gives the records back; the memory is the pool's. */
static void onFrame(acldvppStreamDesc *input, acldvppPicDesc *output, void *data) {
    (void)data;
    MUST(acldvppDestroyStreamDesc(input));
    MUST(acldvppDestroyPicDesc(output));
    decoded++;
}

static void openChannel(void) {
    MUST(pthread_create(&reports, NULL, report, NULL));
    while (!ready) {
    }
    channel = aclvdecCreateChannelDesc();
    MUST(aclvdecSetChannelDescThreadId(channel, (uint64_t)reports));
    MUST(aclvdecSetChannelDescCallback(channel, onFrame));
    MUST(aclvdecSetChannelDescEnType(channel, H264_MAIN_LEVEL));
    MUST(aclvdecCreateChannel(channel));
}

static void putFrame(char *coded, int number) {
    unsigned char frame[CODED];
    codeFrame(frame, WIDTH, HEIGHT, number);
    MUST(aclrtMemcpy(coded, CODED, frame, CODED, ACL_MEMCPY_HOST_TO_DEVICE));
}

static void sendFrame(char *coded, char *picture, uint32_t size) {
    acldvppStreamDesc *input = acldvppCreateStreamDesc();
    acldvppPicDesc *output = acldvppCreatePicDesc();
    MUST(acldvppSetStreamDescData(input, coded));
    MUST(acldvppSetStreamDescSize(input, CODED));
    MUST(acldvppSetPicDescData(output, picture));
    MUST(acldvppSetPicDescSize(output, size));
    MUST(acldvppSetPicDescFormat(output, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
    MUST(aclvdecSendFrame(channel, input, output, NULL, NULL));
}

static void closeChannel(void) {
    acldvppStreamDesc *end = acldvppCreateStreamDesc();
    MUST(acldvppSetStreamDescEos(end, 1));
    MUST(aclvdecSendFrame(channel, end, NULL, NULL, NULL));
    MUST(acldvppDestroyStreamDesc(end));
    MUST(aclvdecDestroyChannel(channel));
    MUST(aclvdecDestroyChannelDesc(channel));
    over = 1;
    MUST(pthread_join(reports, NULL));
}
#endif
