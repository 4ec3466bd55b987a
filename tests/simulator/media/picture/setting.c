/* Regions, resize and encoder settings, channels: plain records. */
#include <stdatomic.h>
#include <stdlib.h>

#include "entry.h"
#include "picture.h"

acldvppRoiConfig *acldvppCreateRoiConfig(uint32_t left, uint32_t right, uint32_t top, uint32_t bottom)
{
    acldvppRoiConfig *region = calloc(1, sizeof *region);
    if (region != NULL) {
        region->region = (struct region){left, right, top, bottom};
    }
    return region;
}

aclError acldvppSetRoiConfig(acldvppRoiConfig *config, uint32_t left, uint32_t right, uint32_t top, uint32_t bottom)
{
    ENTER();
    REQUIRE(config != NULL, ACL_ERROR_INVALID_PARAM);
    config->region = (struct region){left, right, top, bottom};
    ANSWER(ACL_SUCCESS);
}

acldvppResizeConfig *acldvppCreateResizeConfig(void)
{
    return calloc(1, sizeof(acldvppResizeConfig));
}

acldvppJpegeConfig *acldvppCreateJpegeConfig(void)
{
    acldvppJpegeConfig *config = calloc(1, sizeof *config);
    if (config != NULL) {
        config->level = 100;
    }
    return config;
}

acldvppChannelDesc *acldvppCreateChannelDesc(void)
{
    return calloc(1, sizeof(acldvppChannelDesc));
}

#define DESTROY(function, type) \
    aclError function(type *record) \
    { \
        ENTER(); \
        REQUIRE(record != NULL, ACL_ERROR_INVALID_PARAM); \
        free(record); \
        ANSWER(ACL_SUCCESS); \
    }

#define SETTER(function, type, field) \
    aclError function(type *record, uint32_t value) \
    { \
        ENTER(); \
        REQUIRE(record != NULL, ACL_ERROR_INVALID_PARAM); \
        record->field = value; \
        ANSWER(ACL_SUCCESS); \
    }

#define GETTER(function, returns, type, field) \
    returns function(const type *record) \
    { \
        return record == NULL ? 0 : record->field; \
    }

DESTROY(acldvppDestroyRoiConfig, acldvppRoiConfig)
DESTROY(acldvppDestroyResizeConfig, acldvppResizeConfig)
DESTROY(acldvppDestroyJpegeConfig, acldvppJpegeConfig)
DESTROY(acldvppDestroyChannelDesc, acldvppChannelDesc)
SETTER(acldvppSetRoiConfigLeft, acldvppRoiConfig, region.left)
SETTER(acldvppSetRoiConfigRight, acldvppRoiConfig, region.right)
SETTER(acldvppSetRoiConfigTop, acldvppRoiConfig, region.top)
SETTER(acldvppSetRoiConfigBottom, acldvppRoiConfig, region.bottom)
SETTER(acldvppSetResizeConfigInterpolation, acldvppResizeConfig, interpolation)
SETTER(acldvppSetJpegeConfigLevel, acldvppJpegeConfig, level)
SETTER(acldvppSetChannelDescMode, acldvppChannelDesc, mode)
GETTER(acldvppGetResizeConfigInterpolation, uint32_t, acldvppResizeConfig, interpolation)
GETTER(acldvppGetJpegeConfigLevel, uint32_t, acldvppJpegeConfig, level)
GETTER(acldvppGetChannelDescChannelId, uint64_t, acldvppChannelDesc, id)

aclError acldvppCreateChannel(acldvppChannelDesc *channelDesc)
{
    static _Atomic uint64_t next_id;
    ENTER();
    REQUIRE(channelDesc != NULL && !channelDesc->created, ACL_ERROR_INVALID_PARAM);
    /* A channel is opened on the current device. */
    int32_t device;
    aclError status = aclrtGetDevice(&device);
    REQUIRE(status == ACL_SUCCESS, status);
    channelDesc->id = next_id++;
    channelDesc->created = true;
    ANSWER(ACL_SUCCESS);
}

aclError acldvppDestroyChannel(acldvppChannelDesc *channelDesc)
{
    ENTER();
    REQUIRE(channelDesc != NULL && channelDesc->created, ACL_ERROR_INVALID_PARAM);
    channelDesc->created = false;
    ANSWER(ACL_SUCCESS);
}
