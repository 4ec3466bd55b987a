/* `acl.media`: encoding of video. The simulator models no encoder: the C functions answer 207000, NULL or 0. */
#include "video.h"

static const struct row rows[] = {
    {"venc_create_channel_desc", "aclvencCreateChannelDesc", ">p"},
    {"venc_set_channel_desc_thread_id", "aclvencSetChannelDescThreadId", "pz>e"},
    {"venc_set_channel_desc_entype", "aclvencSetChannelDescEnType", "pi>e"},
    {"venc_set_channel_desc_pic_format", "aclvencSetChannelDescPicFormat", "pi>e"},
    {"venc_set_channel_desc_pic_width", "aclvencSetChannelDescPicWidth", "pu>e"},
    {"venc_set_channel_desc_pic_height", "aclvencSetChannelDescPicHeight", "pu>e"},
    {"venc_set_channel_desc_key_frame_interval", "aclvencSetChannelDescKeyFrameInterval", "pu>e"},
    {"venc_set_channel_desc_rc_mode", "aclvencSetChannelDescRcMode", "pu>e"},
    {"venc_set_channel_desc_src_rate", "aclvencSetChannelDescSrcRate", "pu>e"},
    {"venc_set_channel_desc_max_bit_rate", "aclvencSetChannelDescMaxBitRate", "pu>e"},
    {"venc_set_channel_desc_buf_addr", "aclvencSetChannelDescBufAddr", "pp>e"},
    {"venc_set_channel_desc_buf_size", "aclvencSetChannelDescBufSize", "pu>e"},
    {"venc_get_channel_desc_channel_id", "aclvencGetChannelDescChannelId", "p>u"},
    {"venc_get_channel_desc_thread_id", "aclvencGetChannelDescThreadId", "p>z"},
    {"venc_get_channel_desc_entype", "aclvencGetChannelDescEnType", "p>i"},
    {"venc_get_channel_desc_pic_format", "aclvencGetChannelDescPicFormat", "p>i"},
    {"venc_get_channel_desc_pic_width", "aclvencGetChannelDescPicWidth", "p>u"},
    {"venc_get_channel_desc_pic_height", "aclvencGetChannelDescPicHeight", "p>u"},
    {"venc_get_channel_desc_key_frame_interval", "aclvencGetChannelDescKeyFrameInterval", "p>u"},
    {"venc_get_channel_desc_buf_addr", "aclvencGetChannelDescBufAddr", "p>p"},
    {"venc_get_channel_desc_buf_size", "aclvencGetChannelDescBufSize", "p>u"},
    {"venc_get_channel_desc_rc_mode", "aclvencGetChannelDescRcMode", "p>u"},
    {"venc_get_channel_desc_src_rate", "aclvencGetChannelDescSrcRate", "p>u"},
    {"venc_get_channel_desc_max_bit_rate", "aclvencGetChannelDescMaxBitRate", "p>u"},
    {"venc_create_channel", "aclvencCreateChannel", "p>e"},
    {"venc_destroy_channel", "aclvencDestroyChannel", "p>e"},
    {"venc_create_frame_config", "aclvencCreateFrameConfig", ">p"},
    {"venc_destroy_frame_config", "aclvencDestroyFrameConfig", "p>e"},
    {"venc_set_frame_config_force_i_frame", "aclvencSetFrameConfigForceIFrame", "pu>e"},
    {"venc_set_frame_config_eos", "aclvencSetFrameConfigEos", "pu>e"},
    {"venc_get_frame_config_force_i_frame", "aclvencGetFrameConfigForceIFrame", "p>u"},
    {"venc_get_frame_config_eos", "aclvencGetFrameConfigEos", "p>u"},
};

static PyObject *venc_set_channel_desc_callback(PyObject *self, PyObject *arguments)
{
    (void)self;
    return set_callback(arguments, "venc_set_channel_desc_callback", "aclvencSetChannelDescCallback");
}

static PyObject *venc_destroy_channel_desc(PyObject *self, PyObject *arguments)
{
    (void)self;
    return destroy_channel_desc(arguments, "venc_destroy_channel_desc", "aclvencDestroyChannelDesc");
}

static PyObject *venc_send_frame(PyObject *self, PyObject *arguments)
{
    (void)self;
    return send_frame(arguments, "venc_send_frame", "aclvencSendFrame", 5);
}

/* A new reference, or NULL with RuntimeError, as in the module's published source. */
static PyObject *callback_of(uint64_t desc)
{
    PyObject *function = function_of(desc);
    if (function) Py_IncRef(function);
    else PyErr_SetString(PyExc_RuntimeError, "the channel has no callback");
    return function;
}

/* venc_get_channel_desc_callback(description) -> function */
static PyObject *venc_get_channel_desc_callback(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "venc_get_channel_desc_callback", 1, 1)) return NULL;
    int failed = 0;
    uint64_t desc = argument(arguments, 0, &failed);
    return failed ? NULL : callback_of(desc);
}

/* aclvencChannelDescParamType: the kinds that are not numbers of 32 bits. */
enum { THREAD_ID = 0, CALLBACK = 1, BUFFER = 7 };

static size_t length_of(uint64_t kind)
{
    return kind == THREAD_ID || kind == CALLBACK || kind == BUFFER ? 8 : 4;
}

/* venc_set_channel_desc_param(description, kind, value) -> code; of the callback, the value is a function. */
static PyObject *venc_set_channel_desc_param(PyObject *self, PyObject *arguments)
{
    (void)self;
    static const char name[] = "venc_set_channel_desc_param";
    if (!has_arguments(arguments, name, 3, 3)) return NULL;
    int failed = 0;
    uint64_t desc = argument(arguments, 0, &failed), value = (uint64_t)(uintptr_t)on_frame;
    uint64_t kind = failed ? 0 : argument(arguments, 1, &failed);
    if (failed) return NULL;
    PyObject *given = PyTuple_GetItem(arguments, 2);
    if (kind == CALLBACK) failed = keep_function(desc, given, name);
    else value = integer_of(given, 0, &failed);
    if (failed) return NULL;
    int (*set)(void *, int, size_t, const void *);
    *(void **)&set = runtime_function("aclvencSetChannelDescParam");
    return PyLong_FromLongLong(set((void *)(uintptr_t)desc, (int)kind, length_of(kind), &value));
}

/* venc_get_channel_desc_param(description, kind) -> (value, code); the callback is the function, and the runtime is not asked. */
static PyObject *venc_get_channel_desc_param(PyObject *self, PyObject *arguments)
{
    (void)self;
    if (!has_arguments(arguments, "venc_get_channel_desc_param", 2, 2)) return NULL;
    int failed = 0;
    uint64_t desc = argument(arguments, 0, &failed), value = 0;
    uint64_t kind = failed ? 0 : argument(arguments, 1, &failed);
    if (failed) return NULL;
    if (kind == CALLBACK) return with_code(callback_of(desc), 0);
    size_t written = 0;
    int (*get)(const void *, int, size_t, size_t *, void *);
    *(void **)&get = runtime_function("aclvencGetChannelDescParam");
    int code = get((const void *)(uintptr_t)desc, (int)kind, length_of(kind), &written, &value);
    return with_code(PyLong_FromUnsignedLongLong(value), code);
}

static const struct method methods[] = {
    {"venc_set_channel_desc_callback", "aclvencSetChannelDescCallback", venc_set_channel_desc_callback},
    {"venc_destroy_channel_desc", "aclvencDestroyChannelDesc", venc_destroy_channel_desc},
    {"venc_send_frame", "aclvencSendFrame", venc_send_frame},
    {"venc_get_channel_desc_callback", "aclvencSetChannelDescCallback", venc_get_channel_desc_callback},
    {"venc_set_channel_desc_param", "aclvencSetChannelDescParam", venc_set_channel_desc_param},
    {"venc_get_channel_desc_param", "aclvencGetChannelDescParam", venc_get_channel_desc_param},
};

int add_encoder(PyObject *module)
{
    return ADD_ROWS(module, rows) || ADD_METHODS(module, methods) ? -1 : 0;
}
