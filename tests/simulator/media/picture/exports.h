/* The public functions of libacl_dvpp.so beside its allocator. */
#ifndef SIMULATOR_PICTURE_EXPORTS_H
#define SIMULATOR_PICTURE_EXPORTS_H

#define PICTURE_EXPORTS(X) \
    X(acldvppCreatePicDesc) \
    X(acldvppDestroyPicDesc) \
    X(acldvppSetPicDescData) \
    X(acldvppSetPicDescSize) \
    X(acldvppSetPicDescFormat) \
    X(acldvppSetPicDescWidth) \
    X(acldvppSetPicDescHeight) \
    X(acldvppSetPicDescWidthStride) \
    X(acldvppSetPicDescHeightStride) \
    X(acldvppSetPicDescRetCode) \
    X(acldvppGetPicDescData) \
    X(acldvppGetPicDescSize) \
    X(acldvppGetPicDescFormat) \
    X(acldvppGetPicDescWidth) \
    X(acldvppGetPicDescHeight) \
    X(acldvppGetPicDescWidthStride) \
    X(acldvppGetPicDescHeightStride) \
    X(acldvppGetPicDescRetCode) \
    X(acldvppCreateBatchPicDesc) \
    X(acldvppGetPicDesc) \
    X(acldvppDestroyBatchPicDesc)

#define MEDIA_SETTING_EXPORTS(X) \
    X(acldvppCreateRoiConfig) \
    X(acldvppDestroyRoiConfig) \
    X(acldvppSetRoiConfig) \
    X(acldvppSetRoiConfigLeft) \
    X(acldvppSetRoiConfigRight) \
    X(acldvppSetRoiConfigTop) \
    X(acldvppSetRoiConfigBottom) \
    X(acldvppCreateResizeConfig) \
    X(acldvppDestroyResizeConfig) \
    X(acldvppSetResizeConfigInterpolation) \
    X(acldvppGetResizeConfigInterpolation) \
    X(acldvppCreateJpegeConfig) \
    X(acldvppDestroyJpegeConfig) \
    X(acldvppSetJpegeConfigLevel) \
    X(acldvppGetJpegeConfigLevel) \
    X(acldvppCreateChannelDesc) \
    X(acldvppDestroyChannelDesc) \
    X(acldvppGetChannelDescChannelId) \
    X(acldvppSetChannelDescMode) \
    X(acldvppCreateChannel) \
    X(acldvppDestroyChannel)

#define MEDIA_PROCESS_EXPORTS(X) \
    X(acldvppVpcResizeAsync) \
    X(acldvppVpcCropAsync) \
    X(acldvppVpcCropResizeAsync) \
    X(acldvppVpcCropAndPasteAsync) \
    X(acldvppVpcCropResizePasteAsync) \
    X(acldvppVpcBatchCropAsync) \
    X(acldvppVpcBatchCropAndPasteAsync) \
    X(acldvppVpcBatchCropResizeAsync) \
    X(acldvppVpcBatchCropResizePasteAsync) \
    X(acldvppVpcConvertColorAsync) \
    X(acldvppJpegGetImageInfo) \
    X(acldvppJpegGetImageInfoV2) \
    X(acldvppJpegPredictDecSize) \
    X(acldvppJpegPredictEncSize) \
    X(acldvppJpegDecodeAsync) \
    X(acldvppJpegEncodeAsync) \
    X(acldvppPngGetImageInfo) \
    X(acldvppPngPredictDecSize) \
    X(acldvppPngDecodeAsync)

#define VIDEO_EXPORTS(X) \
    X(acldvppCreateStreamDesc) \
    X(acldvppDestroyStreamDesc) \
    X(acldvppSetStreamDescData) \
    X(acldvppSetStreamDescSize) \
    X(acldvppSetStreamDescFormat) \
    X(acldvppSetStreamDescTimestamp) \
    X(acldvppSetStreamDescRetCode) \
    X(acldvppSetStreamDescEos) \
    X(acldvppGetStreamDescData) \
    X(acldvppGetStreamDescSize) \
    X(acldvppGetStreamDescFormat) \
    X(acldvppGetStreamDescTimestamp) \
    X(acldvppGetStreamDescRetCode) \
    X(acldvppGetStreamDescEos) \
    X(aclvdecCreateChannelDesc) \
    X(aclvdecDestroyChannelDesc) \
    X(aclvdecSetChannelDescChannelId) \
    X(aclvdecSetChannelDescThreadId) \
    X(aclvdecSetChannelDescCallback) \
    X(aclvdecSetChannelDescEnType) \
    X(aclvdecSetChannelDescOutPicFormat) \
    X(aclvdecSetChannelDescOutPicWidth) \
    X(aclvdecSetChannelDescOutPicHeight) \
    X(aclvdecSetChannelDescRefFrameNum) \
    X(aclvdecSetChannelDescOutMode) \
    X(aclvdecGetChannelDescChannelId) \
    X(aclvdecGetChannelDescThreadId) \
    X(aclvdecGetChannelDescCallback) \
    X(aclvdecGetChannelDescEnType) \
    X(aclvdecGetChannelDescOutPicFormat) \
    X(aclvdecGetChannelDescOutPicWidth) \
    X(aclvdecGetChannelDescOutPicHeight) \
    X(aclvdecGetChannelDescRefFrameNum) \
    X(aclvdecGetChannelDescOutMode) \
    X(aclvdecCreateFrameConfig) \
    X(aclvdecDestroyFrameConfig) \
    X(aclvdecCreateChannel) \
    X(aclvdecDestroyChannel) \
    X(aclvdecSendFrame) \
    X(aclvdecSendSkippedFrame)

#define MEDIA_EXPORTS(X) \
    PICTURE_EXPORTS(X) \
    MEDIA_SETTING_EXPORTS(X) \
    MEDIA_PROCESS_EXPORTS(X) \
    VIDEO_EXPORTS(X)

#endif
