/* `acl.media`: decoding of video, whose results come through a Python function. */
#include "video.h"
#include <stdlib.h>

static const struct row rows[] = {
    {"vdec_create_channel_desc", "aclvdecCreateChannelDesc", ">p"},
    {"vdec_set_channel_desc_channel_id", "aclvdecSetChannelDescChannelId", "pu>e"},
    {"vdec_set_channel_desc_thread_id", "aclvdecSetChannelDescThreadId", "pz>e"},
    {"vdec_set_channel_desc_entype", "aclvdecSetChannelDescEnType", "pi>e"},
    {"vdec_set_channel_desc_out_pic_format", "aclvdecSetChannelDescOutPicFormat", "pi>e"},
    {"vdec_set_channel_desc_out_pic_width", "aclvdecSetChannelDescOutPicWidth", "pu>e"},
    {"vdec_set_channel_desc_out_pic_height", "aclvdecSetChannelDescOutPicHeight", "pu>e"},
    {"vdec_set_channel_desc_ref_frame_num", "aclvdecSetChannelDescRefFrameNum", "pu>e"},
    {"vdec_set_channel_desc_out_mode", "aclvdecSetChannelDescOutMode", "pu>e"},
    {"vdec_get_channel_desc_channel_id", "aclvdecGetChannelDescChannelId", "p>u"},
    {"vdec_get_channel_desc_thread_id", "aclvdecGetChannelDescThreadId", "p>z"},
    {"vdec_get_channel_desc_entype", "aclvdecGetChannelDescEnType", "p>i"},
    {"vdec_get_channel_desc_out_pic_format", "aclvdecGetChannelDescOutPicFormat", "p>i"},
    {"vdec_get_channel_desc_out_pic_width", "aclvdecGetChannelDescOutPicWidth", "p>u"},
    {"vdec_get_channel_desc_out_pic_height", "aclvdecGetChannelDescOutPicHeight", "p>u"},
    {"vdec_get_channel_desc_ref_frame_num", "aclvdecGetChannelDescRefFrameNum", "p>u"},
    {"vdec_get_channel_desc_out_mode", "aclvdecGetChannelDescOutMode", "p>u"},
    {"vdec_create_channel", "aclvdecCreateChannel", "p>e"},
    {"vdec_destroy_channel", "aclvdecDestroyChannel", "p>e"},
    {"vdec_create_frame_config", "aclvdecCreateFrameConfig", ">p"},
    {"vdec_destroy_frame_config", "aclvdecDestroyFrameConfig", "p>e"},
};

/* The function of each channel; changed with the GIL held. */
struct channel {
    uint64_t desc;
    PyObject *function;
    struct channel *next;
};
static struct channel *channels;

/* Data passed with one frame: the C callback does not get the channel. */
struct frame {
    PyObject *function;
    PyObject *data;
};

static struct channel **channel_of(uint64_t desc)
{
    struct channel **at = &channels;
    while (*at && (*at)->desc != desc) at = &(*at)->next;
    return at;
}

void on_frame(void *input, void *output, void *pointer)
{
    struct frame *frame = pointer;
    if (!frame) return;
    int state = PyGILState_Ensure();
    PyObject *result = PyObject_CallFunction(frame->function, "(KKO)", (unsigned long long)(uintptr_t)input,
                                             (unsigned long long)(uintptr_t)output, frame->data);
    if (result) Py_DecRef(result);
    else PyErr_Print();
    Py_DecRef(frame->function);
    Py_DecRef(frame->data);
    PyGILState_Release(state);
    free(frame);
}

PyObject *function_of(uint64_t desc)
{
    struct channel *channel = *channel_of(desc);
    return channel ? channel->function : NULL;
}

int keep_function(uint64_t desc, PyObject *function, const char *name)
{
    if (!PyCallable_Check(function)) {
        PyErr_Format(PyExc_TypeError, "%s() takes a callable", name);
        return -1;
    }
    struct channel **at = channel_of(desc);
    if (!*at && (*at = calloc(1, sizeof **at)) == NULL) return PyErr_NoMemory(), -1;
    PyObject *old = (*at)->function;
    Py_IncRef(function);
    (*at)->desc = desc;
    (*at)->function = function;
    if (old) Py_DecRef(old);
    return 0;
}

PyObject *set_callback(PyObject *arguments, const char *name, const char *function_name)
{
    if (!has_arguments(arguments, name, 2, 2)) return NULL;
    int failed = 0;
    uint64_t desc = argument(arguments, 0, &failed);
    if (failed || keep_function(desc, PyTuple_GetItem(arguments, 1), name)) return NULL;
    int (*set)(void *, void (*)(void *, void *, void *));
    *(void **)&set = runtime_function(function_name);
    return PyLong_FromLongLong(set((void *)(uintptr_t)desc, on_frame));
}

PyObject *destroy_channel_desc(PyObject *arguments, const char *name, const char *function)
{
    if (!has_arguments(arguments, name, 1, 1)) return NULL;
    int failed = 0;
    uint64_t desc = argument(arguments, 0, &failed);
    if (failed) return NULL;
    struct channel **at = channel_of(desc), *channel = *at;
    if (channel) {
        *at = channel->next;
        Py_DecRef(channel->function);
        free(channel);
    }
    int (*destroy)(void *);
    *(void **)&destroy = runtime_function(function);
    return PyLong_FromLongLong(destroy((void *)(uintptr_t)desc));
}

PyObject *send_frame(PyObject *arguments, const char *name, const char *function, Py_ssize_t count)
{
    if (!has_arguments(arguments, name, count, count)) return NULL;
    int failed = 0;
    void *words[4] = {NULL};
    for (Py_ssize_t i = 0; i < count - 1; i++) words[i] = (void *)(uintptr_t)argument(arguments, i, &failed);
    if (failed) return NULL;
    struct channel *channel = *channel_of((uint64_t)(uintptr_t)words[0]);
    struct frame *frame = NULL;
    if (channel) {
        if (!(frame = malloc(sizeof *frame))) return PyErr_NoMemory();
        *frame = (struct frame){channel->function, PyTuple_GetItem(arguments, count - 1)};
        Py_IncRef(frame->function);
        Py_IncRef(frame->data);
    }
    void *address = runtime_function(function);
    PyThreadState *state = PyEval_SaveThread();
    int code;
    if (count == 5) code = ((int (*)(void *, void *, void *, void *, void *))address)(words[0], words[1], words[2], words[3], frame);
    else code = ((int (*)(void *, void *, void *, void *))address)(words[0], words[1], words[2], frame);
    PyEval_RestoreThread(state);
    if (code && frame) {
        Py_DecRef(frame->function);
        Py_DecRef(frame->data);
        free(frame);
    }
    return PyLong_FromLongLong(code);
}

static PyObject *vdec_set_channel_desc_callback(PyObject *self, PyObject *arguments)
{
    (void)self;
    return set_callback(arguments, "vdec_set_channel_desc_callback", "aclvdecSetChannelDescCallback");
}

static PyObject *vdec_destroy_channel_desc(PyObject *self, PyObject *arguments)
{
    (void)self;
    return destroy_channel_desc(arguments, "vdec_destroy_channel_desc", "aclvdecDestroyChannelDesc");
}

static PyObject *vdec_send_frame(PyObject *self, PyObject *arguments)
{
    (void)self;
    return send_frame(arguments, "vdec_send_frame", "aclvdecSendFrame", 5);
}

static PyObject *vdec_send_skipped_frame(PyObject *self, PyObject *arguments)
{
    (void)self;
    return send_frame(arguments, "vdec_send_skipped_frame", "aclvdecSendSkippedFrame", 4);
}

static const struct method methods[] = {
    {"vdec_set_channel_desc_callback", "aclvdecSetChannelDescCallback", vdec_set_channel_desc_callback},
    {"vdec_destroy_channel_desc", "aclvdecDestroyChannelDesc", vdec_destroy_channel_desc},
    {"vdec_send_frame", "aclvdecSendFrame", vdec_send_frame},
    {"vdec_send_skipped_frame", "aclvdecSendSkippedFrame", vdec_send_skipped_frame},
};

int add_video(PyObject *module)
{
    return ADD_ROWS(module, rows) || ADD_METHODS(module, methods) ? -1 : 0;
}
