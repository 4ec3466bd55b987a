/* Graph capture's interface for the rest of the engine. */
#ifndef ACLSIM_CAPTURE_H
#define ACLSIM_CAPTURE_H

#include "stream.h"

/* Whether a synchronous copy or set may run: there is a context, and no capture that forbids it. */
aclError captureAllows(void);
/* Whether a stream of this context is being captured. */
bool captureIsOn(const struct context *context);
/* Puts a task into the graph of a stream that is captured, of a model, or that exchanges tasks of a group. */
aclError captureTask(struct stream *stream, aclError (*run)(void *), void (*drop)(void *), void *argument);

/* tasks.c: the last of these, which the second function calls. */
aclError updateTask(struct stream *stream, aclError (*run)(void *), void (*drop)(void *), void *argument);

/* For events, which name a capture by its number. A captured record leaves a mark; who waits for it joins the capture. */
uint64_t captureSerial(const struct stream *stream);
bool captureIsActive(uint64_t serial);
uint64_t captureMark(struct stream *stream);
aclError captureJoin(uint64_t serial, uint64_t mark, struct stream *stream);

/* Within a task of a graph. The first continues with the task that has this argument, and ends where it has none; the others
 * start another stream's part, and end their own. */
void graphJump(const void *argument);
void graphActivate(const struct stream *stream);
void graphStop(void);

#endif
