/* What libacl_dvpp.so has and the simulator does not model: the rest of the video encoder, histograms, maps of colors, borders. Headers declare
 * only what is in pictures.h. */
#include "absent.h"
#include "pictures.h"

PICTURES_CODE_EXPORTS(ABSENT_CODE)
PICTURES_POINTER_EXPORTS(ABSENT_POINTER)

ABSENT_CODE(aclvencSetChannelDescParam)
ABSENT_CODE(aclvencGetChannelDescParam)
ABSENT_CODE(aclvencSetChannelDescBufAddr)
ABSENT_CODE(aclvencSetChannelDescBufSize)
ABSENT_NUMBER(aclvencGetChannelDescChannelId)
ABSENT_NUMBER(aclvencGetChannelDescThreadId)
ABSENT_NUMBER(aclvencGetChannelDescEnType)
ABSENT_NUMBER(aclvencGetChannelDescPicFormat)
ABSENT_NUMBER(aclvencGetChannelDescPicWidth)
ABSENT_NUMBER(aclvencGetChannelDescPicHeight)
ABSENT_NUMBER(aclvencGetChannelDescKeyFrameInterval)
ABSENT_POINTER(aclvencGetChannelDescBufAddr)
ABSENT_NUMBER(aclvencGetChannelDescBufSize)
ABSENT_NUMBER(aclvencGetChannelDescRcMode)
ABSENT_NUMBER(aclvencGetChannelDescSrcRate)
ABSENT_NUMBER(aclvencGetChannelDescMaxBitRate)

ABSENT_CODE(acldvppClearHist)
ABSENT_NUMBER(acldvppGetHistDims)
ABSENT_CODE(acldvppGetHistData)
/* 0 would be success. */
ABSENT_CODE(acldvppGetHistRetCode)
ABSENT_CODE(acldvppVpcCalcHistAsync)

ABSENT_NUMBER(acldvppGetLutMapDims)
ABSENT_CODE(acldvppGetLutMapData)
ABSENT_CODE(acldvppVpcEqualizeHistAsync)

ABSENT_CODE(acldvppSetBorderConfigValue)
ABSENT_CODE(acldvppSetBorderConfigBorderType)
ABSENT_CODE(acldvppSetBorderConfigTop)
ABSENT_CODE(acldvppSetBorderConfigBottom)
ABSENT_CODE(acldvppSetBorderConfigLeft)
ABSENT_CODE(acldvppSetBorderConfigRight)
ABSENT(double, acldvppGetBorderConfigValue, 0, "0")
ABSENT_NUMBER(acldvppGetBorderConfigBorderType)
ABSENT_NUMBER(acldvppGetBorderConfigTop)
ABSENT_NUMBER(acldvppGetBorderConfigBottom)
ABSENT_NUMBER(acldvppGetBorderConfigLeft)
ABSENT_NUMBER(acldvppGetBorderConfigRight)
ABSENT_CODE(acldvppVpcMakeBorderAsync)
ABSENT_CODE(acldvppVpcBatchCropResizeMakeBorderAsync)
