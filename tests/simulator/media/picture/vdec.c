/* aclvdec*: frames decoded in order, each handed to the channel's callback in the channel's thread. */
#include <stdlib.h>

#include "../frames.h"
#include "entry.h"
#include "picture.h"
#include "video.h"

struct frame {
    aclvdecCallback callback;
    acldvppStreamDesc *input;
    acldvppPicDesc *output; /* NULL: decoded for reference only */
    void *data;
};

aclError aclvdecCreateChannel(aclvdecChannelDesc *channelDesc)
{
    ENTER();
    REQUIRE(channelDesc != NULL && channelDesc->stream == NULL && channelDesc->callback != NULL &&
                channelDesc->thread != 0,
            ACL_ERROR_INVALID_PARAM);
    aclrtStream stream;
    aclError status = aclrtCreateStream(&stream);
    REQUIRE(status == ACL_SUCCESS, status);
    status = aclrtSubscribeReport(channelDesc->thread, stream);
    if (status != ACL_SUCCESS) {
        (void)aclrtDestroyStream(stream);
        ANSWER(status);
    }
    channelDesc->stream = stream;
    ANSWER(ACL_SUCCESS);
}

aclError aclvdecDestroyChannel(aclvdecChannelDesc *channelDesc)
{
    ENTER();
    REQUIRE(channelDesc != NULL && channelDesc->stream != NULL, ACL_ERROR_INVALID_PARAM);
    (void)aclrtSynchronizeStream(channelDesc->stream);
    (void)aclrtUnSubscribeReport(channelDesc->thread, channelDesc->stream);
    aclError status = aclrtDestroyStream(channelDesc->stream);
    channelDesc->stream = NULL;
    ANSWER(status);
}

/* A damaged frame is no failed task: its callback finds the code in both records. */
static aclError decode(void *argument)
{
    struct frame *frame = argument;
    struct picture skipped = {0};
    struct picture *out = frame->output == NULL ? &skipped : &frame->output->picture;
    enum frame_fault fault = frame->output == NULL ? FRAME_WHOLE
                                                   : frameDecode(frame->input->data, frame->input->size, out);
    frame->input->ret_code = fault;
    if (frame->output != NULL) {
        frame->output->ret_code = fault;
    }
    return ACL_SUCCESS;
}

static void report(void *argument)
{
    struct frame frame = *(struct frame *)argument;
    free(argument);
    frame.callback(frame.input, frame.output, frame.data);
}

static aclError send(aclvdecChannelDesc *channel, acldvppStreamDesc *input, acldvppPicDesc *output, void *data)
{
    struct frame *frame = malloc(sizeof *frame);
    if (frame == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    *frame = (struct frame){channel->callback, input, output, data};
    aclError status = aclsimEnqueue(channel->stream, decode, NULL, frame);
    if (status != ACL_SUCCESS) {
        free(frame);
        return status;
    }
    return aclrtLaunchCallback(report, frame, ACL_CALLBACK_BLOCK, channel->stream);
}

aclError aclvdecSendFrame(aclvdecChannelDesc *channelDesc, acldvppStreamDesc *input, acldvppPicDesc *output,
                          aclvdecFrameConfig *config, void *userData)
{
    ENTER();
    (void)config;
    REQUIRE(channelDesc != NULL && channelDesc->stream != NULL && input != NULL, ACL_ERROR_INVALID_PARAM);
    if (input->eos) {
        ANSWER(aclrtSynchronizeStream(channelDesc->stream));
    }
    REQUIRE(output != NULL && output->picture.data != NULL && input->data != NULL && input->size > 0,
            ACL_ERROR_INVALID_PARAM);
    ANSWER(send(channelDesc, input, output, userData));
}

aclError aclvdecSendSkippedFrame(aclvdecChannelDesc *channelDesc, acldvppStreamDesc *input, aclvdecFrameConfig *config,
                                 void *userData)
{
    ENTER();
    (void)config;
    REQUIRE(channelDesc != NULL && channelDesc->stream != NULL && input != NULL && input->data != NULL &&
                input->size > 0,
            ACL_ERROR_INVALID_PARAM);
    ANSWER(send(channelDesc, input, NULL, userData));
}
