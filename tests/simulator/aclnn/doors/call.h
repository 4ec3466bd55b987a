/* The arguments of phase one as the caller left them: whole numbers and pointers in order, floating-point ones apart.
 *
 * Nine hundred operators have nine hundred signatures, and both calling conventions that we run on (x86-64's and AArch64's, on Linux) put
 * arguments in the same places whatever their types: so one function can be called with any of them. */
#ifndef SIMULATOR_ACLNN_CALL_H
#define SIMULATOR_ACLNN_CALL_H

#include "../../engine.h"
#include "aclnn/aclnn_base.h"

#if defined(__aarch64__)
enum { WORD_REGISTERS = 8 };
#else
enum { WORD_REGISTERS = 6 };
#endif

/* Fused attention has 46 words. */
enum { WORDS = WORD_REGISTERS + 42, REALS = 8 };

struct door_call {
    uint64_t words[WORDS];
    double reals[REALS];
};

/* Phase one of the operator with this number in the list of names. */
aclnnStatus phaseOne(int operator, const struct door_call *call);
aclnnStatus phaseTwo(int operator, void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

const char *operatorName(int operator);
/* Phase one of an operator that nothing computes. */
aclnnStatus standInPhaseOne(int operator, const struct door_call *call);
/* An executor whose plan has the arguments that letters of a row name. Objects are held. */
aclnnStatus planArguments(int operator, const char *letters, const struct door_call *call, aclOpExecutor **made);

#endif
