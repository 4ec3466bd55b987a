/* What the rest of the engine asks of graph capture. */
#ifndef ACLSIM_CAPTURE_H
#define ACLSIM_CAPTURE_H

#include "stream.h"

/* Whether a synchronous copy or set may run: there is a context, and no capture that forbids it. */
aclError captureAllows(void);
/* Whether a stream of this context is being captured. */
bool captureIsOn(const struct context *context);
/* Puts a task into the graph of a stream that is being captured. */
aclError captureTask(struct stream *stream, aclError (*run)(void *), void (*drop)(void *), void *argument);
/* Within a task of a graph: this goes on with the task that has this argument, and ends where it has none. */
void captureJump(const void *argument);

#endif
