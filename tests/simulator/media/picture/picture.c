/* acldvppPicDesc: where a picture lies and how. */
#include "picture.h"

#include <stdlib.h>

#include "entry.h"

struct acldvppBatchPicDesc {
    uint32_t count;
    acldvppPicDesc pictures[];
};

int picture_planes(const acldvppPicDesc *picture, struct plane planes[2])
{
    size_t first = (size_t)picture->width_stride * picture->height_stride;
    switch (picture->format) {
    case PIXEL_FORMAT_YUV_400:
        planes[0] = (struct plane){0, picture->width_stride, 1, 1, 1};
        return 1;
    case PIXEL_FORMAT_YUV_SEMIPLANAR_420:
    case PIXEL_FORMAT_YVU_SEMIPLANAR_420:
        planes[0] = (struct plane){0, picture->width_stride, 1, 1, 1};
        planes[1] = (struct plane){first, picture->width_stride, 2, 2, 2};
        return 2;
    case PIXEL_FORMAT_RGB_888:
    case PIXEL_FORMAT_BGR_888:
        planes[0] = (struct plane){0, picture->width_stride, 3, 1, 1};
        return 1;
    default:
        return 0;
    }
}

size_t picture_bytes(const acldvppPicDesc *picture)
{
    struct plane planes[2];
    int count = picture_planes(picture, planes);
    if (count == 0 || picture->width == 0 || picture->height == 0 ||
        (size_t)picture->width * planes[0].unit > picture->width_stride || picture->height > picture->height_stride)
        return 0;
    size_t first = (size_t)picture->width_stride * picture->height_stride;
    return count == 1 ? first : first + first / 2;
}

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
    if (batchSize == 0)
        return NULL;
    acldvppBatchPicDesc *batch = calloc(1, sizeof *batch + batchSize * sizeof batch->pictures[0]);
    if (batch != NULL)
        batch->count = batchSize;
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

#define PICTURE_SETTER(function, type, field)             \
    aclError function(acldvppPicDesc *picDesc, type value) \
    {                                                     \
        ENTER();                                          \
        REQUIRE(picDesc != NULL, ACL_ERROR_INVALID_PARAM); \
        picDesc->field = value;                           \
        ANSWER(ACL_SUCCESS);                              \
    }

#define PICTURE_GETTER(function, type, field, otherwise)  \
    type function(const acldvppPicDesc *picDesc)          \
    {                                                     \
        return picDesc == NULL ? (otherwise) : picDesc->field; \
    }

PICTURE_SETTER(acldvppSetPicDescData, void *, data)
PICTURE_SETTER(acldvppSetPicDescSize, uint32_t, size)
PICTURE_SETTER(acldvppSetPicDescFormat, acldvppPixelFormat, format)
PICTURE_SETTER(acldvppSetPicDescWidth, uint32_t, width)
PICTURE_SETTER(acldvppSetPicDescHeight, uint32_t, height)
PICTURE_SETTER(acldvppSetPicDescWidthStride, uint32_t, width_stride)
PICTURE_SETTER(acldvppSetPicDescHeightStride, uint32_t, height_stride)
PICTURE_SETTER(acldvppSetPicDescRetCode, uint32_t, ret_code)
PICTURE_GETTER(acldvppGetPicDescData, void *, data, NULL)
PICTURE_GETTER(acldvppGetPicDescSize, uint32_t, size, 0)
PICTURE_GETTER(acldvppGetPicDescFormat, acldvppPixelFormat, format, PIXEL_FORMAT_UNKNOWN)
PICTURE_GETTER(acldvppGetPicDescWidth, uint32_t, width, 0)
PICTURE_GETTER(acldvppGetPicDescHeight, uint32_t, height, 0)
PICTURE_GETTER(acldvppGetPicDescWidthStride, uint32_t, width_stride, 0)
PICTURE_GETTER(acldvppGetPicDescHeightStride, uint32_t, height_stride, 0)
PICTURE_GETTER(acldvppGetPicDescRetCode, uint32_t, ret_code, 0)
