/* Compiles if the toolkit has the type: build.rs tries this before it checks the calls that take it. */
#include "acl/acl.h"
extern aclrtMallocConfig *probe;
