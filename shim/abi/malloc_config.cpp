/* Compiles where the toolkit has the type: build.rs asks before it checks the calls that take it. */
#include "acl/acl.h"
extern aclrtMallocConfig *probe;
