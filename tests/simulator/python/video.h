/* Channels of video, whose Python function gets each frame. */
#ifndef ACLSIM_VIDEO_H
#define ACLSIM_VIDEO_H

#include "binding.h"

/* What the runtime calls for each frame of a channel; `pointer` is what `send_frame` passed. */
void on_frame(void *input, void *output, void *pointer);
/* The function of a channel's description, borrowed; NULL if there is none. */
PyObject *function_of(uint64_t desc);
/* Keeps it, in place of an earlier one, until the description is destroyed, whatever the runtime answers, as the module's published source
 * does. 0, or -1 with an exception set. */
int keep_function(uint64_t desc, PyObject *function, const char *name);

/* (description, function) -> code */
PyObject *set_callback(PyObject *arguments, const char *name, const char *function_name);
/* (description) -> code */
PyObject *destroy_channel_desc(PyObject *arguments, const char *name, const char *function);
/* (channel, stream, picture, config, user_data) -> code; a skipped frame has no picture. An encoder takes the picture and a reserved
 * argument instead. */
PyObject *send_frame(PyObject *arguments, const char *name, const char *function, Py_ssize_t count);

#endif
