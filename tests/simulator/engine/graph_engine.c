/* The graph engine is no part of the runtime: libacl_op_compiler.so brings it along, and it sets options of the process when it is loaded. */
#include <stdatomic.h>

#include "../engine.h"

static atomic_bool is_loaded;

void aclsimHasGraphEngine(void)
{
    atomic_store(&is_loaded, true);
}

bool aclsimGraphEngine(void)
{
    return atomic_load(&is_loaded);
}
