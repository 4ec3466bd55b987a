/* The attributes of one operator: a short list of named values. */
#ifndef SIMULATOR_ATTRIBUTE_H
#define SIMULATOR_ATTRIBUTE_H

#include "acl/acl_op.h"

enum { ATTRIBUTES = 16, ATTRIBUTE_NAME = 64, ATTRIBUTE_VALUES = 8 };

struct attribute {
    char name[ATTRIBUTE_NAME];
    int count; /* values of a list; 1 for a scalar */
    int64_t integers[ATTRIBUTE_VALUES];
    float floats[ATTRIBUTE_VALUES];
};

struct aclopAttr {
    int count;
    struct attribute list[ATTRIBUTES];
};

/* NULL when the name is not set. */
const struct attribute *attributeFind(const aclopAttr *attributes, const char *name);
int64_t attributeInteger(const aclopAttr *attributes, const char *name, int64_t otherwise);
float attributeFloat(const aclopAttr *attributes, const char *name, float otherwise);
/* How a string is kept: its first seven characters as a number, the very first in the lowest byte. */
int64_t attributeText(const char *text);

#endif
