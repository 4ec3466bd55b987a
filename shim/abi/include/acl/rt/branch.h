/* Branches of the streams of a hand-built model: to a label, or to another stream. */
#ifndef ACLSAN_RT_BRANCH_H
#define ACLSAN_RT_BRANCH_H

#include "../acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    ACL_RT_EQUAL = 0,
    ACL_RT_NOT_EQUAL,
    ACL_RT_GREATER,
    ACL_RT_GREATER_OR_EQUAL,
    ACL_RT_LESS,
    ACL_RT_LESS_OR_EQUAL,
} aclrtCondition;

typedef enum {
    ACL_RT_SWITCH_INT32 = 0,
    ACL_RT_SWITCH_INT64 = 1,
} aclrtCompareDataType;

aclError aclrtCreateLabel(aclrtLabel *label);
aclError aclrtDestroyLabel(aclrtLabel label);
/* For a stream that is bound to a model. */
aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream);
aclError aclrtCreateLabelList(aclrtLabel *labels, size_t num, aclrtLabelList *labelList);
aclError aclrtDestroyLabelList(aclrtLabelList labelList);
/* Continues at the label whose index is a four-byte number on the device, or at the last one. The stream itself stops here. */
aclError aclrtSwitchLabelByIndex(void *ptr, uint32_t maxValue, aclrtLabelList labelList, aclrtStream stream);
/* Continues with `trueStream` if the condition holds, and then stops here. `falseStream` is NULL. */
aclError aclrtSwitchStream(void *leftValue, aclrtCondition cond, void *rightValue, aclrtCompareDataType dataType,
                           aclrtStream trueStream, aclrtStream falseStream, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
