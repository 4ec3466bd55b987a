/* acldvppStreamDesc and the decoder's channel record: plain fields. */
#include "video.h"

#include <stdlib.h>

#include "entry.h"

acldvppStreamDesc *acldvppCreateStreamDesc(void)
{
    return calloc(1, sizeof(acldvppStreamDesc));
}

aclvdecChannelDesc *aclvdecCreateChannelDesc(void)
{
    return calloc(1, sizeof(aclvdecChannelDesc));
}

/* Reserved: nothing can be set in it. */
aclvdecFrameConfig *aclvdecCreateFrameConfig(void)
{
    return calloc(1, 1);
}

#define DESTROY(function, type) \
    aclError function(type *record) \
    { \
        ENTER(); \
        REQUIRE(record != NULL, ACL_ERROR_INVALID_PARAM); \
        free(record); \
        ANSWER(ACL_SUCCESS); \
    }

#define SETTER(function, record_type, type, field) \
    aclError function(record_type *record, type value) \
    { \
        ENTER(); \
        REQUIRE(record != NULL, ACL_ERROR_INVALID_PARAM); \
        record->field = value; \
        ANSWER(ACL_SUCCESS); \
    }

#define GETTER(function, record_type, type, field) \
    type function(const record_type *record) \
    { \
        return record == NULL ? (type)0 : record->field; \
    }

DESTROY(acldvppDestroyStreamDesc, acldvppStreamDesc)
SETTER(acldvppSetStreamDescData, acldvppStreamDesc, void *, data)
SETTER(acldvppSetStreamDescSize, acldvppStreamDesc, uint32_t, size)
SETTER(acldvppSetStreamDescFormat, acldvppStreamDesc, acldvppStreamFormat, format)
SETTER(acldvppSetStreamDescTimestamp, acldvppStreamDesc, uint64_t, timestamp)
SETTER(acldvppSetStreamDescRetCode, acldvppStreamDesc, uint32_t, ret_code)
SETTER(acldvppSetStreamDescEos, acldvppStreamDesc, uint8_t, eos)
GETTER(acldvppGetStreamDescData, acldvppStreamDesc, void *, data)
GETTER(acldvppGetStreamDescSize, acldvppStreamDesc, uint32_t, size)
GETTER(acldvppGetStreamDescFormat, acldvppStreamDesc, acldvppStreamFormat, format)
GETTER(acldvppGetStreamDescTimestamp, acldvppStreamDesc, uint64_t, timestamp)
GETTER(acldvppGetStreamDescRetCode, acldvppStreamDesc, uint32_t, ret_code)
GETTER(acldvppGetStreamDescEos, acldvppStreamDesc, uint8_t, eos)

DESTROY(aclvdecDestroyFrameConfig, aclvdecFrameConfig)
DESTROY(aclvdecDestroyChannelDesc, aclvdecChannelDesc)
SETTER(aclvdecSetChannelDescChannelId, aclvdecChannelDesc, uint32_t, id)
SETTER(aclvdecSetChannelDescThreadId, aclvdecChannelDesc, uint64_t, thread)
SETTER(aclvdecSetChannelDescCallback, aclvdecChannelDesc, aclvdecCallback, callback)
SETTER(aclvdecSetChannelDescEnType, aclvdecChannelDesc, acldvppStreamFormat, coding)
SETTER(aclvdecSetChannelDescOutPicFormat, aclvdecChannelDesc, acldvppPixelFormat, format)
SETTER(aclvdecSetChannelDescOutPicWidth, aclvdecChannelDesc, uint32_t, width)
SETTER(aclvdecSetChannelDescOutPicHeight, aclvdecChannelDesc, uint32_t, height)
SETTER(aclvdecSetChannelDescRefFrameNum, aclvdecChannelDesc, uint32_t, references)
SETTER(aclvdecSetChannelDescOutMode, aclvdecChannelDesc, uint32_t, mode)
GETTER(aclvdecGetChannelDescChannelId, aclvdecChannelDesc, uint32_t, id)
GETTER(aclvdecGetChannelDescThreadId, aclvdecChannelDesc, uint64_t, thread)
GETTER(aclvdecGetChannelDescCallback, aclvdecChannelDesc, aclvdecCallback, callback)
GETTER(aclvdecGetChannelDescEnType, aclvdecChannelDesc, acldvppStreamFormat, coding)
GETTER(aclvdecGetChannelDescOutPicFormat, aclvdecChannelDesc, acldvppPixelFormat, format)
GETTER(aclvdecGetChannelDescOutPicWidth, aclvdecChannelDesc, uint32_t, width)
GETTER(aclvdecGetChannelDescOutPicHeight, aclvdecChannelDesc, uint32_t, height)
GETTER(aclvdecGetChannelDescRefFrameNum, aclvdecChannelDesc, uint32_t, references)
GETTER(aclvdecGetChannelDescOutMode, aclvdecChannelDesc, uint32_t, mode)
