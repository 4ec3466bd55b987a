/* Graph capture: between begin and end the calls on a stream are recorded, not run. */
#ifndef ACLSAN_RT_CAPTURE_H
#define ACLSAN_RT_CAPTURE_H

#include "../acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclmdlRI;
typedef void *aclrtTaskGrp;
typedef void *aclmdlRITask;

#define ACL_MODEL_STREAM_FLAG_HEAD 0x00000000U
#define ACL_MODEL_STREAM_FLAG_DEFAULT 0x7FFFFFFFU

typedef enum {
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL,
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED,
} aclmdlRICaptureMode;

typedef enum {
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE,
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED,
} aclmdlRICaptureStatus;

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);
/* Captures into an existing graph. */
aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI, aclmdlRICaptureMode mode);
aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI);
aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI);
/* Sets the capture mode of the calling thread, which says how far it respects captures of others, and returns the previous one. */
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode);
/* Memory that a captured call uses must live until the graph is destroyed. */
aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);
aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);
aclError aclmdlRIDestroy(aclmdlRI modelRI);
/* Between the two, calls on the stream are not run: they replace the captured calls of the group. */
aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle);
aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);

/* A hand-built model: work queued on a stream with ACL_STREAM_PERSISTENT, once it is bound, runs when the model is executed. */
aclError aclmdlRIBuildBegin(aclmdlRI *modelRI, uint32_t flag);
/* With ACL_MODEL_STREAM_FLAG_DEFAULT the stream runs only when another one activates it. */
aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag);
aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream);
/* Nothing may be queued on the model's streams from here on. */
aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void *reserve);
aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream);

/* Changes to the tasks of a model. */
struct aclmdlRITaskParams;
aclError aclmdlRITaskSetParams(aclmdlRITask task, struct aclmdlRITaskParams *params);
aclError aclmdlRIUpdate(aclmdlRI modelRI);

aclError aclmdlRIAbort(aclmdlRI modelRI);

#ifdef __cplusplus
}
#endif

#endif
