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
#define WORDS_IN_REGISTERS(DO) DO(w0) DO(w1) DO(w2) DO(w3) DO(w4) DO(w5) DO(w6) DO(w7)
#else
enum { WORD_REGISTERS = 6 };
#define WORDS_IN_REGISTERS(DO) DO(w0) DO(w1) DO(w2) DO(w3) DO(w4) DO(w5)
#endif
#define REALS_IN_REGISTERS(DO) DO(x0) DO(x1) DO(x2) DO(x3) DO(x4) DO(x5) DO(x6) DO(x7)
#define WORDS_ON_THE_STACK(DO) \
    DO(s0) DO(s1) DO(s2) DO(s3) DO(s4) DO(s5) DO(s6) DO(s7) DO(s8) DO(s9) DO(s10) DO(s11) DO(s12) DO(s13) DO(s14) \
    DO(s15) DO(s16) DO(s17) DO(s18) DO(s19) DO(s20) DO(s21) DO(s22) DO(s23) DO(s24) DO(s25)

enum { WORDS = WORD_REGISTERS + 26, REALS = 8 };

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

#endif
