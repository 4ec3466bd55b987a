/* aclTensorDesc: type, shape, place and, for a constant, its value. */
#include "tensor.h"

#include <stdlib.h>
#include <string.h>

#include "entry.h"

static aclError setShape(struct shape *shape, int rank, const int64_t *dims)
{
    if (rank < 0 || rank > TENSOR_DIMS || (rank > 0 && dims == NULL)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    shape->rank = rank;
    for (int axis = 0; axis < rank; axis++) {
        shape->dims[axis] = dims[axis];
    }
    return ACL_SUCCESS;
}

aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims, aclFormat format)
{
    aclTensorDesc *desc = calloc(1, sizeof *desc);
    if (desc == NULL || setShape(&desc->shape, numDims, dims) != ACL_SUCCESS) {
        free(desc);
        return NULL;
    }
    desc->type = dataType;
    desc->format = format;
    return desc;
}

void aclDestroyTensorDesc(const aclTensorDesc *desc)
{
    if (desc == NULL) {
        return;
    }
    free(desc->constant);
    free((void *)desc);
}

aclDataType aclGetTensorDescType(const aclTensorDesc *desc)
{
    return desc == NULL ? ACL_DT_UNDEFINED : desc->type;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc)
{
    return desc == NULL ? ACL_FORMAT_UNDEFINED : desc->format;
}

size_t aclGetTensorDescElementCount(const aclTensorDesc *desc)
{
    return desc == NULL ? 0 : (size_t)elementCount(&desc->shape);
}

size_t aclGetTensorDescSize(const aclTensorDesc *desc)
{
    return desc == NULL ? 0 : tensorBytes(desc->type, &desc->shape);
}

size_t aclGetTensorDescNumDims(const aclTensorDesc *desc)
{
    return desc == NULL ? 0 : (size_t)desc->shape.rank;
}

int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index)
{
    int64_t size = -1;
    (void)aclGetTensorDescDimV2(desc, index, &size);
    return size;
}

aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize)
{
    if (desc == NULL || dimSize == NULL || index >= (size_t)desc->shape.rank) {
        return ACL_ERROR_INVALID_PARAM;
    }
    *dimSize = desc->shape.dims[index];
    return ACL_SUCCESS;
}

void aclSetTensorDescName(aclTensorDesc *desc, const char *name)
{
    if (desc == NULL) {
        return;
    }
    size_t length = name == NULL ? 0 : strnlen(name, TENSOR_NAME - 1);
    memcpy(desc->name, name == NULL ? "" : name, length);
    desc->name[length] = 0;
}

const char *aclGetTensorDescName(aclTensorDesc *desc)
{
    return desc == NULL ? "" : desc->name;
}

aclError aclSetTensorShape(aclTensorDesc *desc, int numDims, const int64_t *dims)
{
    return desc == NULL ? ACL_ERROR_INVALID_PARAM : setShape(&desc->shape, numDims, dims);
}

/* The simulator computes on dense tensors only, so a storage or origin shape changes nothing. */
aclError aclSetTensorOriginShape(aclTensorDesc *desc, int numDims, const int64_t *dims)
{
    struct shape ignored;
    return desc == NULL ? ACL_ERROR_INVALID_PARAM : setShape(&ignored, numDims, dims);
}

aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format)
{
    if (desc == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    desc->format = format;
    return ACL_SUCCESS;
}

aclError aclSetTensorOriginFormat(aclTensorDesc *desc, aclFormat format)
{
    (void)format;
    return desc == NULL ? ACL_ERROR_INVALID_PARAM : ACL_SUCCESS;
}

aclError aclSetTensorConst(aclTensorDesc *desc, void *dataBuffer, size_t length)
{
    if (desc == NULL || dataBuffer == NULL || length == 0) {
        return ACL_ERROR_INVALID_PARAM;
    }
    void *copy = malloc(length);
    if (copy == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    memcpy(copy, dataBuffer, length);
    free(desc->constant);
    desc->constant = copy;
    desc->constant_bytes = length;
    return ACL_SUCCESS;
}

aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType)
{
    if (desc == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    desc->place = memType;
    return ACL_SUCCESS;
}
