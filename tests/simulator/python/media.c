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

enum { REGIONS_MOST = 256 };

/* A sequence's integers, at most 256 as the reference says: their number, or -1 with TypeError. */
static Py_ssize_t integers_of(PyObject *sequence, uint64_t values[REGIONS_MOST])
{
    Py_ssize_t size = PySequence_Size(sequence);
    if (size > REGIONS_MOST) {
        PyErr_SetString(PyExc_TypeError, "a batch has at most 256 regions");
        return -1;
    }
    int failed = size < 0;
    for (Py_ssize_t i = 0; i < size && !failed; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);
        failed = !item;
        if (item) values[i] = integer_of(item, 0, &failed);
        if (item) Py_DecRef(item);
    }
    return failed ? -1 : size;
}

/* dvpp_vpc_batch_crop_async(channel, sources, counts, targets, regions, stream) -> (targets, code) */
static PyObject *batch_crop(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "dvpp_vpc_batch_crop_async", 6, 6)) return NULL;
    int failed = 0;
    uint64_t channel = argument(arguments, 0, &failed), sources = argument(arguments, 1, &failed);
    uint64_t targets = argument(arguments, 3, &failed), stream = argument(arguments, 5, &failed);
    uint64_t counts[REGIONS_MOST], regions[REGIONS_MOST];
    uint32_t numbers[REGIONS_MOST];
    Py_ssize_t size = failed ? -1 : integers_of(PyTuple_GetItem(arguments, 2), counts);
    Py_ssize_t count = size < 0 ? -1 : integers_of(PyTuple_GetItem(arguments, 4), regions);
    if (count < 0) return NULL;
    uint64_t asked = 0;
    void *areas[REGIONS_MOST];
    for (Py_ssize_t i = 0; i < size; i++) asked += numbers[i] = (uint32_t)counts[i];
    for (Py_ssize_t i = 0; i < count; i++) areas[i] = (void *)(uintptr_t)regions[i];
    int (*crop)(void *, void *, uint32_t *, uint32_t, void *, void **, void *);
    *(void **)&crop = runtime_function("acldvppVpcBatchCropAsync");
    if (asked > (uint64_t)count) {
        PyErr_SetString(PyExc_TypeError, "dvpp_vpc_batch_crop_async() takes a region for each picture that it cuts out");
        return NULL;
    }
    PyThreadState *state = PyEval_SaveThread();
    int code = crop((void *)(uintptr_t)channel, (void *)(uintptr_t)sources, numbers, (uint32_t)size,
                    (void *)(uintptr_t)targets, areas, (void *)(uintptr_t)stream);
    PyEval_RestoreThread(state);
    return with_code(PyLong_FromUnsignedLongLong(targets), code);
}

static const struct method methods[] = {{"dvpp_vpc_batch_crop_async", "acldvppVpcBatchCropAsync", batch_crop}};

int add_media(PyObject *module)
{
    return ADD_ROWS(module, rows) || ADD_METHODS(module, methods) ? -1 : 0;
}
