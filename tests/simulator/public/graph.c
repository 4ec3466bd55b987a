/* Graphs after the capture: the checks of the acl layer. */
#include "../public.h"

aclError aclmdlRIAbort(aclmdlRI modelRI)
{
    ENTER();
    REQUIRE(modelRI, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtModelAbort(modelRI));
}

aclError aclmdlRISetName(aclmdlRI modelRI, const char *name)
{
    ENTER();
    REQUIRE(modelRI && name, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtModelSetName(modelRI, name));
}

aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char *name)
{
    ENTER();
    REQUIRE(modelRI && name, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtModelGetName(modelRI, maxLen, name));
}

aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId)
{
    ENTER();
    REQUIRE(modelRI && modelRIId, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtModelGetId(modelRI, modelRIId));
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI)
{
    ENTER();
    REQUIRE(modelRI, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtModelDebugDotPrint(modelRI));
}

/* What kernels are given, of which `flags` could ask for more, is not printed. */
aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags)
{
    ENTER();
    (void)flags;
    REQUIRE(modelRI && path, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtModelDebugJsonPrint(modelRI, path));
}

aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func, void *userData)
{
    ENTER();
    REQUIRE(modelRI && func, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtModelOnDestroy(modelRI, func, userData));
}

aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func)
{
    ENTER();
    REQUIRE(modelRI && func, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtModelForgetDestroy(modelRI, func));
}

aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream *streams, uint32_t *numStreams)
{
    ENTER();
    REQUIRE(modelRI && numStreams, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtModelGetStreams(modelRI, streams, numStreams));
}

aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask *tasks, uint32_t *numTasks)
{
    ENTER();
    REQUIRE(numTasks, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtStreamGetTasks(stream, tasks, numTasks));
}

aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType *type)
{
    ENTER();
    REQUIRE(task && type, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtTaskGetType(task, type));
}

aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t *id)
{
    ENTER();
    REQUIRE(task && id, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtTaskGetSeqId(task, id));
}

aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams *params)
{
    ENTER();
    REQUIRE(task && params, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtTaskGetParams(task, params));
}

aclError aclmdlRITaskDisable(aclmdlRITask task)
{
    ENTER();
    REQUIRE(task, ACL_ERROR_RT_PARAM_INVALID);
    ANSWER(rtModelTaskDisable(task));
}

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream)
{
    ENTER();
    REQUIRE(stream, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsStreamBeginTaskGrp(stream));
}

aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle)
{
    ENTER();
    REQUIRE(stream && handle, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtsStreamEndTaskGrp(stream, handle));
}

aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, uint32_t defaultLaunchValue, aclmdlRICondHandleFlag flag,
                                  aclmdlRICondHandle *handle)
{
    ENTER();
    REQUIRE(modelRI && handle, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtModelCondHandleCreate(modelRI, defaultLaunchValue, flag, handle));
}

aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t **ptr)
{
    ENTER();
    REQUIRE(handle && ptr, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtModelCondHandleGetCondPtr(handle, ptr));
}

aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream, uint32_t flags)
{
    ENTER();
    REQUIRE(params.handle && params.modelRIArray && stream, ACL_ERROR_INVALID_PARAM);
    ANSWER(rtStreamAddCondTask(&params, stream, flags));
}
