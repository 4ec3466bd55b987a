/* Whether the parameters of dynamic AIPP fit each other and the model. */
#include "acl/acl.h"
#include "acl/acl_mdl.h"
#include "acl/error_codes/ge_error_codes.h"
#include "aipp_data.h"
#include "model.h"

struct size {
    int64_t width, height;
};

/* AIPP's result for one image: cropped, resized, padded. Padding has a separate limit. */
static bool result(const aclmdlAIPP *set, uint64_t index, struct size *size)
{
    enum { MOST_PADDED_WIDTH = 1080 };
    const struct aipp_image *image = &set->image[index];
    *size = image->resize == 1 ? (struct size){image->resize_width, image->resize_height}
            : image->crop == 1 ? (struct size){image->crop_width, image->crop_height}
                               : (struct size){set->data.source_width, set->data.source_height};
    if (image->padding == 1) {
        size->width += image->left + image->right;
        size->height += image->top + image->bottom;
    }
    return image->padding != 1 || size->width <= MOST_PADDED_WIDTH;
}

static bool isCropRight(const struct aipp_data *data, const struct aipp_image *image)
{
    if (image->crop != 1) {
        return true;
    }
    bool is_even = data->format != AIPP_YUV420SP || (image->crop_x % 2 == 0 && image->crop_y % 2 == 0);
    return is_even && image->crop_x + image->crop_width <= data->source_width &&
           image->crop_y + image->crop_height <= data->source_height;
}

/* Of four formats, which are those of all chips that the simulator knows. */
static bool isSourceRight(const struct aipp_data *data)
{
    bool is_known = data->format == AIPP_YUV420SP || data->format == AIPP_XRGB8888 || data->format == AIPP_RGB888 ||
                    data->format == AIPP_YUV400;
    bool is_even = data->format != AIPP_YUV420SP || (data->source_width % 2 == 0 && data->source_height % 2 == 0);
    return is_known && is_even && data->source_width != 0 && data->source_height != 0 &&
           (data->format != AIPP_YUV400 || data->csc != 1);
}

/* The image that the model wants, of its largest gear; known for two formats only. */
static bool isResultRight(const struct om_end *end, const aclmdlAIPP *set, const struct size *size)
{
    const struct om_aipp *aipp = end->aipp;
    const struct om_aipp_dims *largest = NULL;
    for (size_t i = 0; i < aipp->sources; i++) {
        largest = largest == NULL || aipp->source[i].size > largest->size ? &aipp->source[i] : largest;
    }
    bool is_nchw = aipp->source_format == ACL_FORMAT_NCHW, is_nhwc = aipp->source_format == ACL_FORMAT_NHWC;
    if (largest == NULL || largest->dims.count != 4 || !(is_nchw || is_nhwc)) {
        return largest != NULL && !(is_nchw || is_nhwc);
    }
    const int64_t *dims = largest->dims.at;
    return dims[0] == (int64_t)set->batches && dims[is_nchw ? 2 : 1] == size->height &&
           dims[is_nchw ? 3 : 2] == size->width;
}

/* Compared with the compiled settings; older files lack them. */
static aclError fitsModel(const struct om_signature *signature, size_t index, const aclmdlAIPP *set)
{
    const struct om_aipp *aipp = signature->input[index].aipp;
    struct size size;
    if (aipp == NULL || !aipp->has_info) {
        return ACL_SUCCESS;
    }
    if (aippSourceBytes(&set->data, set->batches) > (uint64_t)aipp->most_source_bytes) {
        return ACL_ERROR_INVALID_PARAM;
    }
    if (aipp->related_input < 0 || (size_t)aipp->related_input >= signature->inputs) {
        return ACL_ERROR_INVALID_PARAM;
    }
    const struct om_end *related = &signature->input[aipp->related_input];
    if (related->ranges.count > 0) {
        return ACL_SUCCESS;
    }
    if (!result(set, 0, &size)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    if (related->aipp == NULL || !related->aipp->has_dims) {
        return ACL_ERROR_GE_AIPP_NOT_EXIST;
    }
    return isResultRight(related, set, &size) ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
}

aclError aippCheck(const struct om_signature *signature, size_t index, const aclmdlAIPP *set)
{
    struct size first, size;
    aclError status = fitsModel(signature, index, set);
    if (status != ACL_SUCCESS) {
        return status;
    }
    if (!isSourceRight(&set->data) || !result(set, 0, &first)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    for (uint64_t i = 0; i < set->batches; i++) {
        bool is_right = set->image[i].resize != 1 && isCropRight(&set->data, &set->image[i]) && result(set, i, &size) &&
                        size.width == first.width && size.height == first.height;
        if (!is_right) {
            return ACL_ERROR_INVALID_PARAM; /* resizing too: no chip has it */
        }
    }
    return ACL_SUCCESS;
}
