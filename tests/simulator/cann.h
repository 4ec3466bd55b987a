/* The runtime's version in a topology. Only what includes this is compiled for each of them. */
#ifndef ACLSIM_CANN_H
#define ACLSIM_CANN_H

/* major * 10000 + minor * 100 + patch */
#ifndef ACLSIM_CANN
#error "tests/build defines the version that a topology follows"
#endif
#define ACLSIM_AFTER_9_1 (ACLSIM_CANN > 90100)

#endif
