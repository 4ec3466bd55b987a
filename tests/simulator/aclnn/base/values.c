/* Scalars and arrays, whose values are copied. */
#include <string.h>

#include "../entry.h"
#include "../objects.h"
#include "living.h"

aclScalar *aclCreateScalar(void *value, aclDataType dataType)
{
    size_t size = aclDataTypeSize(dataType);
    aclScalar *scalar = value == NULL || size == 0 ? NULL : objectNew(sizeof *scalar);
    if (scalar != NULL) {
        scalar->type = dataType;
        memcpy(scalar->bytes, value, size);
    }
    return scalar;
}

#define ARRAY_OF(kind, create, element) \
    kind *create(const element *value, uint64_t size) \
    { \
        kind *array = value == NULL && size > 0 ? NULL : objectNew(sizeof *array + size * sizeof *value); \
        for (uint64_t i = 0; array != NULL && i < size; i++) { \
            array->values[array->count++] = value[i]; \
        } \
        return array; \
    }

ARRAY_OF(aclIntArray, aclCreateIntArray, int64_t)
ARRAY_OF(aclFloatArray, aclCreateFloatArray, float)
ARRAY_OF(aclBoolArray, aclCreateBoolArray, bool)

aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size)
{
    aclScalarList *list = value == NULL && size > 0 ? NULL : objectNew(sizeof *list + size * sizeof **value);
    for (uint64_t i = 0; list != NULL && i < size; i++) {
        list->scalars[list->count++] = *value[i];
    }
    return list;
}

aclnnStatus aclDestroyScalarList(const aclScalarList *array)
{
    ENTER();
    objectEnd(array);
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyScalar(const aclScalar *scalar)
{
    ENTER();
    objectEnd(scalar);
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyIntArray(const aclIntArray *array)
{
    ENTER();
    objectEnd(array);
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray *array)
{
    ENTER();
    objectEnd(array);
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray *array)
{
    ENTER();
    objectEnd(array);
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size)
{
    ENTER();
    REQUIRE(array != NULL && size != NULL, ACLNN_ERR_PARAM_NULLPTR);
    *size = array->count;
    return ACLNN_SUCCESS;
}
