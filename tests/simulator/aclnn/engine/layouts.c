#include "layouts.h"

#include <string.h>

bool arrangedByHeads(const struct aclTensor *tensor, int64_t layout, int64_t heads, struct aclTensor *by_heads)
{
    *by_heads = *tensor;
    by_heads->rank = 4;
    if ((layout == LAYOUT_BSH || layout == LAYOUT_SBH) && tensor->rank == 3 && heads > 0 && tensor->dims[2] % heads == 0) {
        int batch = layout == LAYOUT_SBH, place = !batch;
        int64_t width = tensor->dims[2] / heads;
        const int64_t dims[] = {tensor->dims[batch], heads, tensor->dims[place], width};
        const int64_t strides[] = {tensor->strides[batch], width * tensor->strides[2], tensor->strides[place], tensor->strides[2]};
        memcpy(by_heads->dims, dims, sizeof dims);
        memcpy(by_heads->strides, strides, sizeof strides);
        return true;
    }
    if (tensor->rank != 4 || (layout != LAYOUT_BNSD && layout != LAYOUT_BSND)) {
        return false;
    }
    if (layout == LAYOUT_BSND) {
        by_heads->dims[1] = tensor->dims[2];
        by_heads->dims[2] = tensor->dims[1];
        by_heads->strides[1] = tensor->strides[2];
        by_heads->strides[2] = tensor->strides[1];
    }
    return by_heads->dims[1] == heads;
}
