/* Random numbers of a task, without parameters on the device. */
#ifndef PROGRAMS_RANDOM_NUMBERS_H
#define PROGRAMS_RANDOM_NUMBERS_H
#include "../rt.h"

static inline aclrtRandomParaInfo value_of(uint64_t value, uint8_t size) {
    aclrtRandomParaInfo info = {0};
    info.size = size;
    memcpy(info.valueOrAddr, &value, size);
    return info;
}

static inline void numbers(void *to, uint64_t count, void *counter, aclrtRandomNumFuncType kind, aclrtStream stream) {
    aclrtRandomNumTaskInfo task = {0};
    task.dataType = ACL_INT32;
    task.randomNumFuncParaInfo.funcType = kind;
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.min = value_of(0, 4);
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max = value_of(100, 4);
    task.randomResultAddr = to;
    task.randomCounterAddr = counter;
    task.randomSeed = value_of(7, 8);
    task.randomNum = value_of(count, 8);
    MUST(aclrtRandomNumAsync(&task, stream, NULL));
}
#endif
