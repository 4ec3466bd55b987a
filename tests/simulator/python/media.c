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
    {"dvpp_png_get_image_info", "acldvppPngGetImageInfo", "pu&u&u&i>e"},
    {"dvpp_png_predict_dec_size", "acldvppPngPredictDecSize", "pui&u>e"},
    {"dvpp_png_decode_async", "acldvppPngDecodeAsync", "ppupp>e"},
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

/* A call on a batch: `channel, sources, counts, targets, regions`, then the places of the regions if `pastes`, a configuration if `resizes`,
 * and the stream. */
struct batch {
    const char *name, *function;
    int pastes, resizes, gives_targets;
};

/* Pointers to one area for each picture that is cut out, as many as `asked` at least. */
static int areas_of(PyObject *sequence, uint64_t asked, const char *name, void *areas[REGIONS_MOST])
{
    uint64_t values[REGIONS_MOST];
    Py_ssize_t count = integers_of(sequence, values);
    if (count < 0) return -1;
    if (asked > (uint64_t)count) {
        PyErr_Format(PyExc_TypeError, "%s() takes a region for each picture that it cuts out", name);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) areas[i] = (void *)(uintptr_t)values[i];
    return 0;
}

static PyObject *call_batch(PyObject *arguments, const struct batch *batch)
{
    int takes = 6 + batch->pastes + batch->resizes, failed = 0;
    if (!has_arguments(arguments, batch->name, takes, takes)) return NULL;
    uint64_t channel = argument(arguments, 0, &failed), sources = argument(arguments, 1, &failed);
    uint64_t targets = argument(arguments, 3, &failed), stream = argument(arguments, takes - 1, &failed);
    uint64_t resize = batch->resizes ? argument(arguments, takes - 2, &failed) : 0;
    uint64_t counts[REGIONS_MOST], asked = 0;
    uint32_t numbers[REGIONS_MOST];
    void *areas[REGIONS_MOST], *places[REGIONS_MOST];
    Py_ssize_t size = failed ? -1 : integers_of(PyTuple_GetItem(arguments, 2), counts);
    if (size < 0) return NULL;
    for (Py_ssize_t i = 0; i < size; i++) asked += numbers[i] = (uint32_t)counts[i];
    if (areas_of(PyTuple_GetItem(arguments, 4), asked, batch->name, areas)) return NULL;
    if (batch->pastes && areas_of(PyTuple_GetItem(arguments, 5), asked, batch->name, places)) return NULL;
    /* What follows the regions: places, a configuration, the stream; further words are not looked at (see `invoke`). */
    uint64_t rest[3] = {0};
    int next = 0;
    if (batch->pastes) rest[next++] = (uint64_t)(uintptr_t)places;
    if (batch->resizes) rest[next++] = resize;
    rest[next] = stream;
    int (*call)(uint64_t, uint64_t, void *, uint64_t, uint64_t, void *, uint64_t, uint64_t, uint64_t);
    *(void **)&call = runtime_function(batch->function);
    PyThreadState *state = PyEval_SaveThread();
    int code = call(channel, sources, numbers, (uint64_t)size, targets, areas, rest[0], rest[1], rest[2]);
    PyEval_RestoreThread(state);
    return batch->gives_targets ? with_code(PyLong_FromUnsignedLongLong(targets), code) : PyLong_FromLongLong(code);
}

static const struct batch batches[] = {
    {"dvpp_vpc_batch_crop_async", "acldvppVpcBatchCropAsync", 0, 0, 1},
    {"dvpp_vpc_batch_crop_and_paste_async", "acldvppVpcBatchCropAndPasteAsync", 1, 0, 1},
    {"dvpp_vpc_batch_crop_resize_async", "acldvppVpcBatchCropResizeAsync", 0, 1, 0},
    {"dvpp_vpc_batch_crop_resize_paste_async", "acldvppVpcBatchCropResizePasteAsync", 1, 1, 0},
    /* Borders are where the others have places. */
    {"dvpp_vpc_batch_crop_resize_make_border_async", "acldvppVpcBatchCropResizeMakeBorderAsync", 1, 1, 0},
};

#define BATCH(name, place) \
    static PyObject *name(PyObject *self, PyObject *arguments) \
    { \
        (void)self; \
        return call_batch(arguments, &batches[place]); \
    }

BATCH(batch_crop, 0)
BATCH(batch_crop_and_paste, 1)
BATCH(batch_crop_resize, 2)
BATCH(batch_crop_resize_paste, 3)
BATCH(batch_crop_resize_make_border, 4)

static const struct method methods[] = {
    {"dvpp_vpc_batch_crop_async", "acldvppVpcBatchCropAsync", batch_crop},
    {"dvpp_vpc_batch_crop_and_paste_async", "acldvppVpcBatchCropAndPasteAsync", batch_crop_and_paste},
    {"dvpp_vpc_batch_crop_resize_async", "acldvppVpcBatchCropResizeAsync", batch_crop_resize},
    {"dvpp_vpc_batch_crop_resize_paste_async", "acldvppVpcBatchCropResizePasteAsync", batch_crop_resize_paste},
    {"dvpp_vpc_batch_crop_resize_make_border_async", "acldvppVpcBatchCropResizeMakeBorderAsync", batch_crop_resize_make_border},
};

int add_media(PyObject *module)
{
    return ADD_ROWS(module, rows) || ADD_METHODS(module, methods) ? -1 : 0;
}
