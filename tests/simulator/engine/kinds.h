/* Types and parameters of a graph's event and value tasks. */
#ifndef ACLSIM_KINDS_H
#define ACLSIM_KINDS_H

#include "../engine.h"

/* ACL_MODEL_RI_TASK_DEFAULT unless the task is one of theirs. */
aclmdlRITaskType eventTask(aclError (*run)(void *));
aclmdlRITaskType valueTask(aclError (*run)(void *));
void eventDescribe(const void *argument, aclmdlRITaskParams *params);
void valueDescribe(const void *argument, aclmdlRITaskParams *params);
aclError valueChange(void *argument, const aclmdlRITaskParams *params);

#endif
