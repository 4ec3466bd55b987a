/* The functions of UNMODELLED_EXPORTS, whose arguments nobody reads: no declaration of theirs is seen here. */
#include "../engine.h"
#include "../exports.h"

/* Under a name of its own in C, since the headers declare the true one with arguments. */
#ifdef ACLSIM_SPLIT
#define SYMBOL(name) #name "Impl"
#else
#define SYMBOL(name) #name
#endif
#define UNMODELLED(name) \
    __attribute__((visibility("default"))) aclError unmodelled_##name(void) __asm__(SYMBOL(name)); \
    aclError unmodelled_##name(void) \
    { \
        return aclsimNotModelled(#name); \
    }
UNMODELLED_EXPORTS(UNMODELLED)
LATER_UNMODELLED_EXPORTS(UNMODELLED)
