/* Both phases of every operator whose name torch_npu looks up. */
#include "call.h"
#include "names.h"

#define NUMBER(name) NUMBER_##name,
enum number { OPERATORS(NUMBER) OPERATOR_COUNT };

#define NAME(name) "aclnn" #name,
static const char *const names[] = {OPERATORS(NAME)};

const char *operatorName(int operator)
{
    return names[operator];
}

#define WORD_PARAMETER(name) uint64_t name,
#define REAL_PARAMETER(name) double name,
#define VALUE(name) name,

#define DOOR(name) \
    __attribute__((visibility("default"))) aclnnStatus one_##name( \
        WORDS_IN_REGISTERS(WORD_PARAMETER) REALS_IN_REGISTERS(REAL_PARAMETER) WORDS_ON_THE_STACK(WORD_PARAMETER) \
        uint64_t end) __asm__("aclnn" #name "GetWorkspaceSize"); \
    aclnnStatus one_##name(WORDS_IN_REGISTERS(WORD_PARAMETER) REALS_IN_REGISTERS(REAL_PARAMETER) \
                               WORDS_ON_THE_STACK(WORD_PARAMETER) uint64_t end) \
    { \
        (void)end; \
        const struct door_call call = {{WORDS_IN_REGISTERS(VALUE) WORDS_ON_THE_STACK(VALUE)}, \
                                       {REALS_IN_REGISTERS(VALUE)}}; \
        return phaseOne(NUMBER_##name, &call); \
    } \
    __attribute__((visibility("default"))) aclnnStatus two_##name(void *, uint64_t, aclOpExecutor *, aclrtStream) \
        __asm__("aclnn" #name); \
    aclnnStatus two_##name(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream) \
    { \
        return phaseTwo(NUMBER_##name, workspace, workspaceSize, executor, stream); \
    }
OPERATORS(DOOR)
