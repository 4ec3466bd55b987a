/* Branches in models: the checks of the acl layer. */
#include "../public.h"

aclError aclrtCreateLabel(aclrtLabel *label)
{
    ENTER();
    REQUIRE(label, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsLabelCreate(label));
}

aclError aclrtDestroyLabel(aclrtLabel label)
{
    ENTER();
    REQUIRE(label, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsLabelDestroy(label));
}

aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream)
{
    ENTER();
    REQUIRE(label && stream, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsLabelSet(label, stream));
}

aclError aclrtCreateLabelList(aclrtLabel *labels, size_t num, aclrtLabelList *labelList)
{
    ENTER();
    REQUIRE(labels && labelList, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsLabelSwitchListCreate(labels, num, labelList));
}

aclError aclrtDestroyLabelList(aclrtLabelList labelList)
{
    ENTER();
    REQUIRE(labelList, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsLabelSwitchListDestroy(labelList));
}

aclError aclrtSwitchLabelByIndex(void *ptr, uint32_t maxValue, aclrtLabelList labelList, aclrtStream stream)
{
    ENTER();
    REQUIRE(ptr && labelList && stream, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsLabelSwitchByIndex(ptr, maxValue, labelList, stream));
}

aclError aclrtSwitchStream(void *leftValue, aclrtCondition cond, void *rightValue, aclrtCompareDataType dataType,
                           aclrtStream trueStream, aclrtStream falseStream, aclrtStream stream)
{
    ENTER();
    REQUIRE(leftValue && rightValue && trueStream && stream, ACL_ERROR_INVALID_PARAM);
    REQUIRE(!falseStream, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsSwitchStream(leftValue, cond, rightValue, dataType, trueStream, stream));
}
