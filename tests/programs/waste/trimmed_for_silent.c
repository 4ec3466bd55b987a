//@ env: ACLSIM_MEMORY_MB=256 ACLSIM_ALLOCATION_US=100000 ACLSIM_TRIM_US=2000000
//@ options: guard=off
// The program trims its pool itself, before it allocates: every block finds its room, and takes as long as the others.
#define TRIMMED
#include "trimmed_for.c"
