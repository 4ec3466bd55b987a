/* The functions of the video encoder, by what they answer. */
#ifndef SIMULATOR_ABSENT_VENC_H
#define SIMULATOR_ABSENT_VENC_H

#define VENC_CODE_EXPORTS(X) \
    X(aclvencDestroyChannelDesc) \
    X(aclvencSetChannelDescThreadId) \
    X(aclvencSetChannelDescCallback) \
    X(aclvencSetChannelDescEnType) \
    X(aclvencSetChannelDescPicFormat) \
    X(aclvencSetChannelDescPicWidth) \
    X(aclvencSetChannelDescPicHeight) \
    X(aclvencSetChannelDescKeyFrameInterval) \
    X(aclvencSetChannelDescRcMode) \
    X(aclvencSetChannelDescSrcRate) \
    X(aclvencSetChannelDescMaxBitRate) \
    X(aclvencCreateChannel) \
    X(aclvencDestroyChannel) \
    X(aclvencDestroyFrameConfig) \
    X(aclvencSetFrameConfigForceIFrame) \
    X(aclvencSetFrameConfigEos) \
    X(aclvencSendFrame)

#define VENC_POINTER_EXPORTS(X) \
    X(aclvencCreateChannelDesc) \
    X(aclvencCreateFrameConfig)

#define VENC_NUMBER_EXPORTS(X) \
    X(aclvencGetFrameConfigForceIFrame) \
    X(aclvencGetFrameConfigEos)

#endif
