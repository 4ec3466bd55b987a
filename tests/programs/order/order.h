/* Streams and events, besides what all programs share. Streams are slow, so that a wait which is missing is missed. */
#ifndef PROGRAMS_ORDER_H
#define PROGRAMS_ORDER_H
#include "../rt.h"

enum { N = 4096 };

static inline aclrtStream stream(void) {
    aclrtStream made = NULL;
    MUST(aclrtCreateStream(&made));
    return made;
}

static inline aclrtEvent recorded(aclrtStream on) {
    aclrtEvent made = NULL;
    MUST(aclrtCreateEvent(&made));
    MUST(aclrtRecordEvent(made, on));
    return made;
}
#endif
