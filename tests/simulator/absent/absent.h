/* Functions of libraries that the simulator does not model. Programs that link them start; each function answers as an absent feature does, and
 * says so once, by name. Nobody reads the arguments: no declaration of theirs is seen here. */
#ifndef SIMULATOR_ABSENT_H
#define SIMULATOR_ABSENT_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ABSENT_FEATURE = 207000 }; /* ACL_ERROR_RT_FEATURE_NOT_SUPPORT */

static inline void sayAbsent(const char *function, const char *answer, atomic_uchar *said)
{
    const char *quiet = getenv("ACLSIM_QUIET");
    if (!atomic_exchange(said, 1) && (quiet == NULL || strcmp(quiet, "1") != 0)) {
        fprintf(stderr, "aclsim: `%s` is not modelled: it answers %s, as an absent feature does\n", function, answer);
    }
}

/* Under a name of its own in C; `answer` is what the message says. */
#define ABSENT(type, name, value, answer) \
    __attribute__((visibility("default"))) type absent_##name(void) __asm__(#name); \
    type absent_##name(void) \
    { \
        static atomic_uchar said; \
        sayAbsent(#name, answer, &said); \
        return value; \
    }
#define ABSENT_CODE(name) ABSENT(int, name, ABSENT_FEATURE, "207000")
#define ABSENT_NUMBER(name) ABSENT(uint64_t, name, 0, "0")
#define ABSENT_POINTER(name) ABSENT(void *, name, NULL, "NULL")
#define ABSENT_NOTHING(name) ABSENT(void, name, , "nothing")
/* An aclDataType or a kind of tensor: -1 is the undefined one of both. */
#define ABSENT_KIND(name) ABSENT(int, name, -1, "-1")

#endif
