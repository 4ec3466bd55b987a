/* acldvppPicDesc: a picture's location and format. */
#include "picture.h"

#include <stdlib.h>

#include "entry.h"

struct acldvppBatchPicDesc {
    uint32_t count;
    acldvppPicDesc pictures[];
};

acldvppPicDesc *acldvppCreatePicDesc(void)
{
    return calloc(1, sizeof(acldvppPicDesc));
}

aclError acldvppDestroyPicDesc(acldvppPicDesc *picDesc)
{
    ENTER();
    REQUIRE(picDesc != NULL, ACL_ERROR_INVALID_PARAM);
    free(picDesc);
    ANSWER(ACL_SUCCESS);
}

acldvppBatchPicDesc *acldvppCreateBatchPicDesc(uint32_t batchSize)
{
    if (batchSize == 0) {
        return NULL;
    }
    acldvppBatchPicDesc *batch = calloc(1, sizeof *batch + batchSize * sizeof batch->pictures[0]);
    if (batch != NULL) {
        batch->count = batchSize;
    }
    return batch;
}

acldvppPicDesc *acldvppGetPicDesc(acldvppBatchPicDesc *batchPicDesc, uint32_t index)
{
    return batchPicDesc == NULL || index >= batchPicDesc->count ? NULL : &batchPicDesc->pictures[index];
}

aclError acldvppDestroyBatchPicDesc(acldvppBatchPicDesc *batchPicDesc)
{
    ENTER();
    REQUIRE(batchPicDesc != NULL, ACL_ERROR_INVALID_PARAM);
    free(batchPicDesc);
    ANSWER(ACL_SUCCESS);
}

#define PICTURE_SETTER(function, type, field) \
    aclError function(acldvppPicDesc *picDesc, type value) \
    { \
        ENTER(); \
        REQUIRE(picDesc != NULL, ACL_ERROR_INVALID_PARAM); \
        picDesc->field = value; \
        ANSWER(ACL_SUCCESS); \
    }

#define PICTURE_GETTER(function, type, field, otherwise) \
    type function(const acldvppPicDesc *picDesc) \
    { \
        return picDesc == NULL ? (otherwise) : picDesc->field; \
    }

PICTURE_SETTER(acldvppSetPicDescData, void *, picture.data)
PICTURE_SETTER(acldvppSetPicDescSize, uint32_t, picture.size)
PICTURE_SETTER(acldvppSetPicDescFormat, acldvppPixelFormat, picture.format)
PICTURE_SETTER(acldvppSetPicDescWidth, uint32_t, picture.width)
PICTURE_SETTER(acldvppSetPicDescHeight, uint32_t, picture.height)
PICTURE_SETTER(acldvppSetPicDescWidthStride, uint32_t, picture.width_stride)
PICTURE_SETTER(acldvppSetPicDescHeightStride, uint32_t, picture.height_stride)
PICTURE_SETTER(acldvppSetPicDescRetCode, uint32_t, ret_code)
PICTURE_GETTER(acldvppGetPicDescData, void *, picture.data, NULL)
PICTURE_GETTER(acldvppGetPicDescSize, uint32_t, picture.size, 0)
PICTURE_GETTER(acldvppGetPicDescFormat, acldvppPixelFormat, picture.format, PIXEL_FORMAT_UNKNOWN)
PICTURE_GETTER(acldvppGetPicDescWidth, uint32_t, picture.width, 0)
PICTURE_GETTER(acldvppGetPicDescHeight, uint32_t, picture.height, 0)
PICTURE_GETTER(acldvppGetPicDescWidthStride, uint32_t, picture.width_stride, 0)
PICTURE_GETTER(acldvppGetPicDescHeightStride, uint32_t, picture.height_stride, 0)
PICTURE_GETTER(acldvppGetPicDescRetCode, uint32_t, ret_code, 0)
