/* acldvppVpc*: crop, resize and paste as tasks. */
#include <stdlib.h>

#include "entry.h"
#include "picture.h"

static aclError run(void *argument)
{
    return stepRun(argument);
}

/* A NULL region is the whole picture. */
static aclError submit(const acldvppChannelDesc *channel, const acldvppPicDesc *in, const acldvppPicDesc *out,
                       const acldvppRoiConfig *from, const acldvppRoiConfig *to, aclrtStream stream)
{
    if (channel == NULL || !channel->created || in == NULL || out == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    struct step wanted = {
        in->picture,
        out->picture,
        from == NULL ? pictureRegion(&in->picture) : from->region,
        to == NULL ? pictureRegion(&out->picture) : to->region,
    };
    aclError status = stepCheck(&wanted);
    if (status != ACL_SUCCESS) {
        return status;
    }
    struct step *step = malloc(sizeof *step);
    if (step == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    *step = wanted;
    return aclsimEnqueue(stream, run, free, step);
}

aclError acldvppVpcResizeAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc, acldvppPicDesc *outputDesc,
                               acldvppResizeConfig *resizeConfig, aclrtStream stream)
{
    ENTER();
    REQUIRE(resizeConfig != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(submit(channelDesc, inputDesc, outputDesc, NULL, NULL, stream));
}

/* Only between NV12 and NV21: the unit converts other formats too, the simulator does not. */
aclError acldvppVpcConvertColorAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc,
                                     acldvppPicDesc *outputDesc, aclrtStream stream)
{
    ENTER();
    ANSWER(submit(channelDesc, inputDesc, outputDesc, NULL, NULL, stream));
}

aclError acldvppVpcCropAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc, acldvppPicDesc *outputDesc,
                             acldvppRoiConfig *cropArea, aclrtStream stream)
{
    ENTER();
    REQUIRE(cropArea != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(submit(channelDesc, inputDesc, outputDesc, cropArea, NULL, stream));
}

aclError acldvppVpcCropResizeAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc,
                                   acldvppPicDesc *outputDesc, acldvppRoiConfig *cropArea,
                                   acldvppResizeConfig *resizeConfig, aclrtStream stream)
{
    ENTER();
    REQUIRE(cropArea != NULL && resizeConfig != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(submit(channelDesc, inputDesc, outputDesc, cropArea, NULL, stream));
}

aclError acldvppVpcCropAndPasteAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc,
                                     acldvppPicDesc *outputDesc, acldvppRoiConfig *cropArea,
                                     acldvppRoiConfig *pasteArea, aclrtStream stream)
{
    ENTER();
    REQUIRE(cropArea != NULL && pasteArea != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(submit(channelDesc, inputDesc, outputDesc, cropArea, pasteArea, stream));
}

aclError acldvppVpcCropResizePasteAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc,
                                        acldvppPicDesc *outputDesc, acldvppRoiConfig *cropArea,
                                        acldvppRoiConfig *pasteArea, acldvppResizeConfig *resizeConfig,
                                        aclrtStream stream)
{
    ENTER();
    REQUIRE(cropArea != NULL && pasteArea != NULL && resizeConfig != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(submit(channelDesc, inputDesc, outputDesc, cropArea, pasteArea, stream));
}

static aclError submitBatch(acldvppChannelDesc *channel, acldvppBatchPicDesc *sources, const uint32_t *counts,
                             uint32_t size, acldvppBatchPicDesc *targets, acldvppRoiConfig *const regions[],
                             acldvppRoiConfig *const places[],
                             aclrtStream stream)
{
    if (counts == NULL || regions == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    uint32_t next = 0;
    for (uint32_t source = 0; source < size; source++) {
        for (uint32_t i = 0; i < counts[source]; i++, next++) {
            if (regions[next] == NULL) {
                return ACL_ERROR_INVALID_PARAM;
            }
            aclError status = submit(channel, acldvppGetPicDesc(sources, source), acldvppGetPicDesc(targets, next),
                                     regions[next], places == NULL ? NULL : places[next], stream);
            if (status != ACL_SUCCESS) {
                return status;
            }
        }
    }
    return ACL_SUCCESS;
}

aclError acldvppVpcBatchCropAsync(acldvppChannelDesc *channelDesc, acldvppBatchPicDesc *srcBatchPicDescs,
                                  uint32_t *roiNums, uint32_t size, acldvppBatchPicDesc *dstBatchPicDescs,
                                  acldvppRoiConfig *cropAreas[], aclrtStream stream)
{
    ENTER();
    ANSWER(submitBatch(channelDesc, srcBatchPicDescs, roiNums, size, dstBatchPicDescs, cropAreas, NULL, stream));
}

aclError acldvppVpcBatchCropAndPasteAsync(acldvppChannelDesc *channelDesc, acldvppBatchPicDesc *srcBatchPicDescs,
                                          uint32_t *roiNums, uint32_t size, acldvppBatchPicDesc *dstBatchPicDescs,
                                          acldvppRoiConfig *cropAreas[], acldvppRoiConfig *pasteAreas[],
                                          aclrtStream stream)
{
    ENTER();
    REQUIRE(pasteAreas != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(submitBatch(channelDesc, srcBatchPicDescs, roiNums, size, dstBatchPicDescs, cropAreas, pasteAreas, stream));
}

aclError acldvppVpcBatchCropResizeAsync(acldvppChannelDesc *channelDesc, acldvppBatchPicDesc *srcBatchPicDescs,
                                        uint32_t *roiNums, uint32_t size, acldvppBatchPicDesc *dstBatchPicDescs,
                                        acldvppRoiConfig *cropAreas[], acldvppResizeConfig *resizeConfig,
                                        aclrtStream stream)
{
    ENTER();
    REQUIRE(resizeConfig != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(submitBatch(channelDesc, srcBatchPicDescs, roiNums, size, dstBatchPicDescs, cropAreas, NULL, stream));
}

aclError acldvppVpcBatchCropResizePasteAsync(acldvppChannelDesc *channelDesc, acldvppBatchPicDesc *srcBatchPicDescs,
                                             uint32_t *roiNums, uint32_t size, acldvppBatchPicDesc *dstBatchPicDescs,
                                             acldvppRoiConfig *cropAreas[], acldvppRoiConfig *pasteAreas[],
                                             acldvppResizeConfig *resizeConfig, aclrtStream stream)
{
    ENTER();
    REQUIRE(resizeConfig != NULL && pasteAreas != NULL, ACL_ERROR_INVALID_PARAM);
    ANSWER(submitBatch(channelDesc, srcBatchPicDescs, roiNums, size, dstBatchPicDescs, cropAreas, pasteAreas, stream));
}
