/* aclopAttr: named values. A name set twice keeps the last value. */
#include "attribute.h"

#include <stdlib.h>
#include <string.h>

#include "entry.h"

const struct attribute *attributeFind(const aclopAttr *attributes, const char *name)
{
    for (int i = 0; attributes != NULL && i < attributes->count; i++) {
        if (strcmp(attributes->list[i].name, name) == 0) {
            return &attributes->list[i];
        }
    }
    return NULL;
}

int64_t attributeInteger(const aclopAttr *attributes, const char *name, int64_t otherwise)
{
    const struct attribute *found = attributeFind(attributes, name);
    return found == NULL ? otherwise : found->integers[0];
}

float attributeFloat(const aclopAttr *attributes, const char *name, float otherwise)
{
    const struct attribute *found = attributeFind(attributes, name);
    return found == NULL ? otherwise : found->floats[0];
}

int64_t attributeText(const char *text)
{
    int64_t start = 0;
    for (int i = 0; i < 7 && text[i] != '\0'; i++) {
        start |= (int64_t)(unsigned char)text[i] << 8 * i;
    }
    return start;
}

static aclError set(aclopAttr *attributes, const char *name, int count, const int64_t *integers, const float *floats)
{
    if (attributes == NULL || name == NULL || strlen(name) >= ATTRIBUTE_NAME || count < 0 || count > ATTRIBUTE_VALUES) {
        return ACL_ERROR_INVALID_PARAM;
    }
    struct attribute *slot = (struct attribute *)attributeFind(attributes, name);
    if (slot == NULL) {
        if (attributes->count == ATTRIBUTES) {
            return ACL_ERROR_INVALID_PARAM;
        }
        slot = &attributes->list[attributes->count++];
    }
    memset(slot, 0, sizeof *slot);
    memcpy(slot->name, name, strlen(name));
    slot->count = count;
    for (int i = 0; i < count; i++) {
        slot->integers[i] = integers == NULL ? 0 : integers[i];
        slot->floats[i] = floats == NULL ? 0 : floats[i];
    }
    return ACL_SUCCESS;
}

aclopAttr *aclopCreateAttr(void)
{
    return calloc(1, sizeof(aclopAttr));
}

void aclopDestroyAttr(const aclopAttr *attr)
{
    free((void *)attr);
}

aclError aclopSetAttrBool(aclopAttr *attr, const char *attrName, uint8_t attrValue)
{
    int64_t value = attrValue != 0;
    return set(attr, attrName, 1, &value, NULL);
}

aclError aclopSetAttrInt(aclopAttr *attr, const char *attrName, int64_t attrValue)
{
    return set(attr, attrName, 1, &attrValue, NULL);
}

aclError aclopSetAttrFloat(aclopAttr *attr, const char *attrName, float attrValue)
{
    return set(attr, attrName, 1, NULL, &attrValue);
}

/* Of a string only the first characters matter to the operators here. */
aclError aclopSetAttrString(aclopAttr *attr, const char *attrName, const char *attrValue)
{
    int64_t start = attributeText(attrValue == NULL ? "" : attrValue);
    return attrValue == NULL ? ACL_ERROR_INVALID_PARAM : set(attr, attrName, 1, &start, NULL);
}

aclError aclopSetAttrListInt(aclopAttr *attr, const char *attrName, int numValues, const int64_t *values)
{
    return values == NULL ? ACL_ERROR_INVALID_PARAM : set(attr, attrName, numValues, values, NULL);
}

aclError aclopSetAttrListFloat(aclopAttr *attr, const char *attrName, int numValues, const float *values)
{
    return values == NULL ? ACL_ERROR_INVALID_PARAM : set(attr, attrName, numValues, NULL, values);
}

aclError aclopSetAttrDataType(aclopAttr *attr, const char *attrName, aclDataType attrValue)
{
    int64_t value = attrValue;
    return set(attr, attrName, 1, &value, NULL);
}

aclError aclopSetAttrListBool(aclopAttr *attr, const char *attrName, int numValues, const uint8_t *values)
{
    int64_t integers[ATTRIBUTE_VALUES] = {0};
    for (int i = 0; values != NULL && i < numValues && i < ATTRIBUTE_VALUES; i++) {
        integers[i] = values[i] != 0;
    }
    return values == NULL ? ACL_ERROR_INVALID_PARAM : set(attr, attrName, numValues, integers, NULL);
}

aclError aclopSetAttrListDataType(aclopAttr *attr, const char *attrName, int numValues, const aclDataType values[])
{
    int64_t integers[ATTRIBUTE_VALUES] = {0};
    for (int i = 0; values != NULL && i < numValues && i < ATTRIBUTE_VALUES; i++) {
        integers[i] = values[i];
    }
    return values == NULL ? ACL_ERROR_INVALID_PARAM : set(attr, attrName, numValues, integers, NULL);
}

/* No operator here reads lists of strings; the name is kept, so that it counts as set. */
aclError aclopSetAttrListString(aclopAttr *attr, const char *attrName, int numValues, const char **values)
{
    bool is_given = numValues >= 0 && values != NULL;
    return is_given ? set(attr, attrName, 0, NULL, NULL) : ACL_ERROR_INVALID_PARAM;
}

/* No operator here reads lists of lists; the name is kept, so that it counts as set. */
aclError aclopSetAttrListListInt(aclopAttr *attr, const char *attrName, int numLists, const int *numValues,
                                 const int64_t *const values[])
{
    bool is_given = numLists >= 0 && numValues != NULL && values != NULL;
    return is_given ? set(attr, attrName, 0, NULL, NULL) : ACL_ERROR_INVALID_PARAM;
}
