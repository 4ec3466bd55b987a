//@ run
//@ run: ACLSIM_STREAM_DELAY_US=500
//@ link: acl_dvpp
/* The decoder of the first media interface takes frames in order and hands each to the channel's thread. */
#include "acl/ops/acl_dvpp.h"
#include "coded.h"
#include "expect.h"

#include <pthread.h>

enum { WIDTH = 40, HEIGHT = 6, STRIDE = 48, BYTES = STRIDE * HEIGHT * 3 / 2, CODED = CODED_BYTES(WIDTH, HEIGHT) };

static _Atomic int told, over, ready;
static uint64_t thread_of_reports;

static void *reports(void *unused)
{
    (void)unused;
    OK(aclrtSetDevice(0));
    ready = 1;
    while (!over) {
        (void)aclrtProcessReport(10);
    }
    return NULL;
}

static void *media(size_t size)
{
    void *address;
    OK(acldvppMalloc(&address, size));
    return address;
}

static acldvppStreamDesc *stream(int number)
{
    unsigned char coded[CODED];
    codeFrame(coded, WIDTH, HEIGHT, number);
    void *data = media(CODED);
    OK(aclrtMemcpy(data, CODED, coded, CODED, ACL_MEMCPY_HOST_TO_DEVICE));
    acldvppStreamDesc *made = acldvppCreateStreamDesc();
    OK(acldvppSetStreamDescData(made, data));
    OK(acldvppSetStreamDescSize(made, CODED));
    OK(acldvppSetStreamDescTimestamp(made, (uint64_t)number));
    return made;
}

static acldvppPicDesc *picture(uint32_t size)
{
    acldvppPicDesc *made = acldvppCreatePicDesc();
    OK(acldvppSetPicDescData(made, media(size)));
    OK(acldvppSetPicDescSize(made, size));
    OK(acldvppSetPicDescFormat(made, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
    return made;
}

/* The number passed with each frame selects the sample's case; negative ones are damaged. */
static void decoded(acldvppStreamDesc *input, acldvppPicDesc *output, void *data)
{
    int number = *(int *)data;
    EXPECT("aclvdecSendFrame: in order", number == told);
    EXPECT("aclvdecSendFrame: in the channel's thread", (uint64_t)pthread_self() == thread_of_reports);
    EXPECT("aclvdecSendFrame: the caller's records", acldvppGetStreamDescTimestamp(input) == (uint64_t)number);
    if (number == 2) {
        EXPECT("a damaged frame has a code", acldvppGetPicDescRetCode(output) != 0);
        EXPECT("a damaged frame has a code", acldvppGetStreamDescRetCode(input) != 0);
    } else if (number == 3) {
        EXPECT("a picture without room", acldvppGetPicDescRetCode(output) != 0);
    } else if (number == 4) {
        EXPECT("aclvdecSendSkippedFrame", output == NULL);
    } else {
        unsigned char now[BYTES];
        EXPECT("whole", acldvppGetPicDescRetCode(output) == 0);
        EXPECT("width to 16", acldvppGetPicDescWidthStride(output) == STRIDE);
        EXPECT("height to 2", acldvppGetPicDescHeightStride(output) == HEIGHT);
        EXPECT("size of the stream's picture", acldvppGetPicDescWidth(output) == WIDTH);
        OK(aclrtMemcpy(now, BYTES, acldvppGetPicDescData(output), BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
        for (int row = 0; row < HEIGHT * 3 / 2; row++) {
            EXPECT("samples", isFilled(now + row * STRIDE, codedSample(number, row), WIDTH));
        }
    }
    OK(acldvppFree(acldvppGetStreamDescData(input)));
    OK(acldvppDestroyStreamDesc(input));
    if (output != NULL) {
        OK(acldvppFree(acldvppGetPicDescData(output)));
        OK(acldvppDestroyPicDesc(output));
    }
    told++;
}

int main(void)
{
    pthread_t thread;
    static int numbers[] = {0, 1, 2, 3, 4, 5};
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    EXPECT("set-up", pthread_create(&thread, NULL, reports, NULL) == 0);
    thread_of_reports = (uint64_t)thread;
    while (!ready) {
    }
    aclvdecChannelDesc *channel = aclvdecCreateChannelDesc();
    EXPECT_CODE("no thread, no callback", ACL_ERROR_INVALID_PARAM, aclvdecCreateChannel(channel));
    OK(aclvdecSetChannelDescChannelId(channel, 7));
    OK(aclvdecSetChannelDescThreadId(channel, thread_of_reports));
    OK(aclvdecSetChannelDescCallback(channel, decoded));
    OK(aclvdecSetChannelDescEnType(channel, H265_MAIN_LEVEL));
    OK(aclvdecSetChannelDescOutPicFormat(channel, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
    OK(aclvdecCreateChannel(channel));
    for (int i = 0; i < 6; i++) {
        acldvppStreamDesc *input = stream(i);
        if (i == 2) {
            OK(aclrtMemset(acldvppGetStreamDescData(input), CODED, 0, 1));
        }
        if (i == 4) {
            OK(aclvdecSendSkippedFrame(channel, input, NULL, &numbers[i]));
        } else {
            OK(aclvdecSendFrame(channel, input, picture(i == 3 ? BYTES - 1 : BYTES), NULL, &numbers[i]));
        }
    }
    acldvppStreamDesc *end = acldvppCreateStreamDesc();
    EXPECT_CODE("an empty frame", ACL_ERROR_INVALID_PARAM, aclvdecSendFrame(channel, end, NULL, NULL, NULL));
    OK(acldvppSetStreamDescEos(end, 1));
    OK(aclvdecSendFrame(channel, end, NULL, NULL, NULL));
    EXPECT("aclvdecSendFrame: the end waits for callbacks", told == 6);
    OK(acldvppDestroyStreamDesc(end));
    OK(aclvdecDestroyChannel(channel));
    EXPECT_CODE("destroyed", ACL_ERROR_INVALID_PARAM, aclvdecDestroyChannel(channel));
    OK(aclvdecDestroyChannelDesc(channel));
    over = 1;
    EXPECT("set-up", pthread_join(thread, NULL) == 0);
    EXPECT("the decoder keeps nothing", aclsimLiveBlocks(0) == 0);
    OK(aclrtResetDevice(0));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
