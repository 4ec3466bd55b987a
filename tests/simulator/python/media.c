/* `acl.media`: pictures on DVPP. */
#include "binding.h"

#define PICTURE(name, function, kind) \
    {"dvpp_set_pic_desc_" name, "acldvppSetPicDesc" function, "p" kind ">e"}, \
        {"dvpp_get_pic_desc_" name, "acldvppGetPicDesc" function, "p>" kind}
#define STREAM(name, function, kind) \
    {"dvpp_set_stream_desc_" name, "acldvppSetStreamDesc" function, "p" kind ">e"}, \
        {"dvpp_get_stream_desc_" name, "acldvppGetStreamDesc" function, "p>" kind}

static const struct row rows[] = {
    {"dvpp_malloc", "acldvppMalloc", "&pz>e"},
    {"dvpp_free", "acldvppFree", "p>e"},
    {"dvpp_create_channel_desc", "acldvppCreateChannelDesc", ">p"},
    {"dvpp_destroy_channel_desc", "acldvppDestroyChannelDesc", "p>e"},
    {"dvpp_get_channel_desc_channel_id", "acldvppGetChannelDescChannelId", "p>z"},
    {"dvpp_set_channel_desc_mode", "acldvppSetChannelDescMode", "pu>e"},
    {"dvpp_create_channel", "acldvppCreateChannel", "p>e"},
    {"dvpp_destroy_channel", "acldvppDestroyChannel", "p>e"},

    {"dvpp_create_pic_desc", "acldvppCreatePicDesc", ">p"},
    {"dvpp_destroy_pic_desc", "acldvppDestroyPicDesc", "p>e"},
    PICTURE("data", "Data", "p"),
    PICTURE("size", "Size", "u"),
    PICTURE("format", "Format", "i"),
    PICTURE("width", "Width", "u"),
    PICTURE("height", "Height", "u"),
    PICTURE("width_stride", "WidthStride", "u"),
    PICTURE("height_stride", "HeightStride", "u"),
    PICTURE("ret_code", "RetCode", "u"),
    {"dvpp_create_batch_pic_desc", "acldvppCreateBatchPicDesc", "u>p"},
    {"dvpp_get_pic_desc", "acldvppGetPicDesc", "pu>p"},
    {"dvpp_destroy_batch_pic_desc", "acldvppDestroyBatchPicDesc", "p>e"},

    {"dvpp_create_roi_config", "acldvppCreateRoiConfig", "uuuu>p"},
    {"dvpp_destroy_roi_config", "acldvppDestroyRoiConfig", "p>e"},
    {"dvpp_set_roi_config", "acldvppSetRoiConfig", "puuuu>e"},
    {"dvpp_set_roi_config_left", "acldvppSetRoiConfigLeft", "pu>e"},
    {"dvpp_set_roi_config_right", "acldvppSetRoiConfigRight", "pu>e"},
    {"dvpp_set_roi_config_top", "acldvppSetRoiConfigTop", "pu>e"},
    {"dvpp_set_roi_config_bottom", "acldvppSetRoiConfigBottom", "pu>e"},
    {"dvpp_create_resize_config", "acldvppCreateResizeConfig", ">p"},
    {"dvpp_destroy_resize_config", "acldvppDestroyResizeConfig", "p>e"},
    {"dvpp_set_resize_config_interpolation", "acldvppSetResizeConfigInterpolation", "pu>e"},
    {"dvpp_get_resize_config_interpolation", "acldvppGetResizeConfigInterpolation", "p>u"},
    {"dvpp_create_jpege_config", "acldvppCreateJpegeConfig", ">p"},
    {"dvpp_destroy_jpege_config", "acldvppDestroyJpegeConfig", "p>e"},
    {"dvpp_set_jpege_config_level", "acldvppSetJpegeConfigLevel", "pu>e"},
    {"dvpp_get_jpege_config_level", "acldvppGetJpegeConfigLevel", "p>u"},

    {"dvpp_vpc_resize_async", "acldvppVpcResizeAsync", "ppppp>e"},
    {"dvpp_vpc_crop_async", "acldvppVpcCropAsync", "ppppp>e"},
    {"dvpp_vpc_crop_resize_async", "acldvppVpcCropResizeAsync", "pppppp>e"},
    {"dvpp_vpc_crop_and_paste_async", "acldvppVpcCropAndPasteAsync", "pppppp>e"},
    {"dvpp_vpc_crop_resize_paste_async", "acldvppVpcCropResizePasteAsync", "ppppppp>e"},
    {"dvpp_vpc_convert_color_async", "acldvppVpcConvertColorAsync", "pppp>e"},
    {"dvpp_jpeg_get_image_info", "acldvppJpegGetImageInfo", "pu&u&u&i>e"},
    {"dvpp_jpeg_get_image_info_v2", "acldvppJpegGetImageInfoV2", "pu&u&u&i&i>e"},
    {"dvpp_jpeg_predict_dec_size", "acldvppJpegPredictDecSize", "pui&u>e"},
    {"dvpp_jpeg_predict_enc_size", "acldvppJpegPredictEncSize", "pp&u>e"},
    {"dvpp_jpeg_decode_async", "acldvppJpegDecodeAsync", "ppupp>e"},
    {"dvpp_jpeg_encode_async", "acldvppJpegEncodeAsync", "pppppp>e"},

    {"dvpp_create_stream_desc", "acldvppCreateStreamDesc", ">p"},
    {"dvpp_destroy_stream_desc", "acldvppDestroyStreamDesc", "p>e"},
    STREAM("data", "Data", "p"),
    STREAM("size", "Size", "u"),
    STREAM("format", "Format", "i"),
    STREAM("timestamp", "Timestamp", "z"),
    STREAM("ret_code", "RetCode", "u"),
    STREAM("eos", "Eos", "u"),
};

int add_media(PyObject *module)
{
    return ADD_ROWS(module, rows);
}
