/* aclmdlAIPP: the parameters of dynamic AIPP, each checked as it is set. */
#include "aipp_data.h"

#include <stdlib.h>

#include "entry.h"

enum { MOST_IMAGE = 4096, LEAST_RESIZE = 16, MOST_RESIZE_WIDTH = 1920, MOST_PADDING = 32, MOST_MEAN = 255 };

#define REQUIRE_RANGE(value, least, most) REQUIRE((value) >= (least) && (value) <= (most), ACL_ERROR_INVALID_PARAM)

uint64_t aippSourceBytes(const struct aipp_data *data, uint64_t batches)
{
    uint64_t pixels = (uint64_t)(uint32_t)data->source_width * (uint32_t)data->source_height, bytes;
    switch (data->format) {
    case AIPP_YUV420SP: bytes = 3 * pixels / 2; break;
    case AIPP_RGB888: bytes = 3 * pixels; break;
    case AIPP_YUV400: bytes = pixels; break;
    case AIPP_XRGB8888:
    case AIPP_ARGB8888:
    case AIPP_AYUV444:
    case AIPP_RAW24: bytes = 4 * pixels; break;
    case AIPP_YUYV:
    case AIPP_YUV422SP:
    case AIPP_RAW10:
    case AIPP_RAW12:
    case AIPP_RAW16: bytes = 2 * pixels; break;
    default: return 0;
    }
    return __builtin_mul_overflow(bytes, batches, &bytes) ? 0 : bytes;
}

aclmdlAIPP *aclmdlCreateAIPP(uint64_t batchSize)
{
    enum { MOST_BATCHES = 1 << 24 };
    if (batchSize == 0 || batchSize > MOST_BATCHES || aclsimInjected(__func__) != ACL_SUCCESS) {
        return NULL;
    }
    aclmdlAIPP *made = calloc(1, sizeof *made + batchSize * sizeof *made->image);
    if (made == NULL) {
        return NULL;
    }
    made->batches = batchSize;
    made->data.batches = (int8_t)batchSize;
    for (uint64_t i = 0; i < batchSize; i++) {
        for (int channel = 0; channel < 4; channel++) {
            made->image[i].variance[channel] = aclFloatToFloat16(1);
        }
    }
    return made;
}

aclError aclmdlDestroyAIPP(const aclmdlAIPP *aippParmsSet)
{
    ENTER();
    REQUIRE(aippParmsSet != NULL, ACL_ERROR_INVALID_PARAM);
    free((void *)aippParmsSet);
    return ACL_SUCCESS;
}

aclError aclmdlGetAippDataSize(uint64_t batchSize, size_t *size)
{
    ENTER();
    REQUIRE(size != NULL && batchSize != 0, ACL_ERROR_INVALID_PARAM);
    REQUIRE(batchSize <= (SIZE_MAX - AIPP_DATA_BYTES) / AIPP_IMAGE_BYTES, ACL_ERROR_FAILURE);
    *size = AIPP_DATA_BYTES + batchSize * AIPP_IMAGE_BYTES;
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlSetAIPPInputFormat(aclmdlAIPP *aippParmsSet, aclAippInputFormat inputFormat)
{
    ENTER();
    static const uint8_t chip[] = {
        [ACL_YUV420SP_U8] = AIPP_YUV420SP, [ACL_XRGB8888_U8] = AIPP_XRGB8888, [ACL_RGB888_U8] = AIPP_RGB888,
        [ACL_YUV400_U8] = AIPP_YUV400, [ACL_NC1HWC0DI_FP16] = 3, [ACL_NC1HWC0DI_S8] = 4,
        [ACL_ARGB8888_U8] = AIPP_ARGB8888, [ACL_YUYV_U8] = AIPP_YUYV, [ACL_YUV422SP_U8] = AIPP_YUV422SP,
        [ACL_AYUV444_U8] = AIPP_AYUV444, [ACL_RAW10] = AIPP_RAW10, [ACL_RAW12] = AIPP_RAW12, [ACL_RAW16] = AIPP_RAW16,
        [ACL_RAW24] = AIPP_RAW24,
    };
    REQUIRE(aippParmsSet != NULL && inputFormat >= 1 && (size_t)inputFormat < sizeof chip, ACL_ERROR_INVALID_PARAM);
    aippParmsSet->data.format = chip[inputFormat];
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlSetAIPPCscParams(aclmdlAIPP *aippParmsSet, int8_t cscSwitch, int16_t cscMatrixR0C0,
                                int16_t cscMatrixR0C1, int16_t cscMatrixR0C2, int16_t cscMatrixR1C0,
                                int16_t cscMatrixR1C1, int16_t cscMatrixR1C2, int16_t cscMatrixR2C0,
                                int16_t cscMatrixR2C1, int16_t cscMatrixR2C2, uint8_t cscOutputBiasR0,
                                uint8_t cscOutputBiasR1, uint8_t cscOutputBiasR2, uint8_t cscInputBiasR0,
                                uint8_t cscInputBiasR1, uint8_t cscInputBiasR2)
{
    ENTER();
    const int16_t matrix[] = {cscMatrixR0C0, cscMatrixR0C1, cscMatrixR0C2, cscMatrixR1C0, cscMatrixR1C1,
                              cscMatrixR1C2, cscMatrixR2C0, cscMatrixR2C1, cscMatrixR2C2};
    const uint8_t output[] = {cscOutputBiasR0, cscOutputBiasR1, cscOutputBiasR2};
    const uint8_t input[] = {cscInputBiasR0, cscInputBiasR1, cscInputBiasR2};
    REQUIRE(aippParmsSet != NULL, ACL_ERROR_INVALID_PARAM);
    REQUIRE_RANGE(cscSwitch, 0, 1);
    struct aipp_data *data = &aippParmsSet->data;
    data->csc = cscSwitch;
    for (int i = 0; i < 9 && cscSwitch == 1; i++) {
        REQUIRE_RANGE(matrix[i], -32677, 32676); /* the interface's own limits */
    }
    for (int i = 0; i < 9 && cscSwitch == 1; i++) {
        data->matrix[i] = matrix[i];
    }
    for (int i = 0; i < 3 && cscSwitch == 1; i++) {
        data->output_bias[i] = output[i];
        data->input_bias[i] = input[i];
    }
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlSetAIPPRbuvSwapSwitch(aclmdlAIPP *aippParmsSet, int8_t rbuvSwapSwitch)
{
    ENTER();
    REQUIRE(aippParmsSet != NULL, ACL_ERROR_INVALID_PARAM);
    REQUIRE_RANGE(rbuvSwapSwitch, 0, 1);
    aippParmsSet->data.rbuv_swap = rbuvSwapSwitch;
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlSetAIPPAxSwapSwitch(aclmdlAIPP *aippParmsSet, int8_t axSwapSwitch)
{
    ENTER();
    REQUIRE(aippParmsSet != NULL, ACL_ERROR_INVALID_PARAM);
    REQUIRE_RANGE(axSwapSwitch, 0, 1);
    aippParmsSet->data.ax_swap = axSwapSwitch;
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlSetAIPPSrcImageSize(aclmdlAIPP *aippParmsSet, int32_t srcImageSizeW, int32_t srcImageSizeH)
{
    ENTER();
    REQUIRE(aippParmsSet != NULL, ACL_ERROR_INVALID_PARAM);
    REQUIRE_RANGE(srcImageSizeW, 2, MOST_IMAGE);
    REQUIRE_RANGE(srcImageSizeH, 1, MOST_IMAGE);
    aippParmsSet->data.source_width = srcImageSizeW;
    aippParmsSet->data.source_height = srcImageSizeH;
    ANSWER(ACL_SUCCESS);
}

/* The image, or NULL for a set or an index that is none. */
static struct aipp_image *image(aclmdlAIPP *set, uint64_t index)
{
    return set == NULL || index >= set->batches ? NULL : &set->image[index];
}

aclError aclmdlSetAIPPScfParams(aclmdlAIPP *aippParmsSet, int8_t scfSwitch, int32_t scfInputSizeW,
                                int32_t scfInputSizeH, int32_t scfOutputSizeW, int32_t scfOutputSizeH,
                                uint64_t batchIndex)
{
    ENTER();
    struct aipp_image *of = image(aippParmsSet, batchIndex);
    REQUIRE(of != NULL, ACL_ERROR_INVALID_PARAM);
    REQUIRE_RANGE(scfSwitch, 0, 1);
    of->resize = scfSwitch;
    REQUIRE(scfSwitch == 1, ACL_SUCCESS);
    REQUIRE_RANGE(scfInputSizeW, LEAST_RESIZE, MOST_IMAGE);
    REQUIRE_RANGE(scfInputSizeH, LEAST_RESIZE, MOST_IMAGE);
    REQUIRE_RANGE(scfOutputSizeW, LEAST_RESIZE, MOST_RESIZE_WIDTH);
    REQUIRE_RANGE(scfOutputSizeH, LEAST_RESIZE, MOST_IMAGE);
    of->resize_from_width = scfInputSizeW;
    of->resize_from_height = scfInputSizeH;
    of->resize_width = scfOutputSizeW;
    of->resize_height = scfOutputSizeH;
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlSetAIPPCropParams(aclmdlAIPP *aippParmsSet, int8_t cropSwitch, int32_t cropStartPosW,
                                 int32_t cropStartPosH, int32_t cropSizeW, int32_t cropSizeH, uint64_t batchIndex)
{
    ENTER();
    struct aipp_image *of = image(aippParmsSet, batchIndex);
    REQUIRE(of != NULL, ACL_ERROR_INVALID_PARAM);
    REQUIRE_RANGE(cropSwitch, 0, 1);
    of->crop = cropSwitch;
    REQUIRE(cropSwitch == 1, ACL_SUCCESS);
    REQUIRE_RANGE(cropStartPosW, 0, MOST_IMAGE - 1);
    REQUIRE_RANGE(cropStartPosH, 0, MOST_IMAGE - 1);
    REQUIRE_RANGE(cropSizeW, 1, MOST_IMAGE);
    REQUIRE_RANGE(cropSizeH, 1, MOST_IMAGE);
    of->crop_x = cropStartPosW;
    of->crop_y = cropStartPosH;
    of->crop_width = cropSizeW;
    of->crop_height = cropSizeH;
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlSetAIPPPaddingParams(aclmdlAIPP *aippParmsSet, int8_t paddingSwitch, int32_t paddingSizeTop,
                                    int32_t paddingSizeBottom, int32_t paddingSizeLeft, int32_t paddingSizeRight,
                                    uint64_t batchIndex)
{
    ENTER();
    struct aipp_image *of = image(aippParmsSet, batchIndex);
    REQUIRE(of != NULL, ACL_ERROR_INVALID_PARAM);
    REQUIRE_RANGE(paddingSwitch, 0, 1);
    of->padding = paddingSwitch;
    REQUIRE(paddingSwitch == 1, ACL_SUCCESS);
    REQUIRE_RANGE(paddingSizeTop, 0, MOST_PADDING);
    REQUIRE_RANGE(paddingSizeBottom, 0, MOST_PADDING);
    REQUIRE_RANGE(paddingSizeLeft, 0, MOST_PADDING);
    REQUIRE_RANGE(paddingSizeRight, 0, MOST_PADDING);
    of->top = paddingSizeTop;
    of->bottom = paddingSizeBottom;
    of->left = paddingSizeLeft;
    of->right = paddingSizeRight;
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlSetAIPPDtcPixelMean(aclmdlAIPP *aippParmsSet, int16_t dtcPixelMeanChn0, int16_t dtcPixelMeanChn1,
                                   int16_t dtcPixelMeanChn2, int16_t dtcPixelMeanChn3, uint64_t batchIndex)
{
    ENTER();
    const int16_t mean[] = {dtcPixelMeanChn0, dtcPixelMeanChn1, dtcPixelMeanChn2, dtcPixelMeanChn3};
    struct aipp_image *of = image(aippParmsSet, batchIndex);
    REQUIRE(of != NULL, ACL_ERROR_INVALID_PARAM);
    for (int channel = 0; channel < 4; channel++) {
        REQUIRE_RANGE(mean[channel], 0, MOST_MEAN);
    }
    for (int channel = 0; channel < 4; channel++) {
        of->mean[channel] = mean[channel];
    }
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlSetAIPPDtcPixelMin(aclmdlAIPP *aippParmsSet, float dtcPixelMinChn0, float dtcPixelMinChn1,
                                  float dtcPixelMinChn2, float dtcPixelMinChn3, uint64_t batchIndex)
{
    ENTER();
    const float least[] = {dtcPixelMinChn0, dtcPixelMinChn1, dtcPixelMinChn2, dtcPixelMinChn3};
    struct aipp_image *of = image(aippParmsSet, batchIndex);
    REQUIRE(of != NULL, ACL_ERROR_INVALID_PARAM);
    for (int channel = 0; channel < 4; channel++) {
        REQUIRE_RANGE(least[channel], 0, MOST_MEAN);
    }
    for (int channel = 0; channel < 4; channel++) {
        of->least[channel] = aclFloatToFloat16(least[channel]);
    }
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlSetAIPPPixelVarReci(aclmdlAIPP *aippParmsSet, float dtcPixelVarReciChn0, float dtcPixelVarReciChn1,
                                   float dtcPixelVarReciChn2, float dtcPixelVarReciChn3, uint64_t batchIndex)
{
    ENTER();
    const float variance[] = {dtcPixelVarReciChn0, dtcPixelVarReciChn1, dtcPixelVarReciChn2, dtcPixelVarReciChn3};
    struct aipp_image *of = image(aippParmsSet, batchIndex);
    REQUIRE(of != NULL, ACL_ERROR_INVALID_PARAM);
    for (int channel = 0; channel < 4; channel++) {
        REQUIRE_RANGE(variance[channel], -65504, 65504);
    }
    for (int channel = 0; channel < 4; channel++) {
        of->variance[channel] = aclFloatToFloat16(variance[channel]);
    }
    ANSWER(ACL_SUCCESS);
}
