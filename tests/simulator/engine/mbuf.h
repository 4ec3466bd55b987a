/* The interface of shared buffers for plain releases. */
#ifndef ACLSIM_MBUF_H
#define ACLSIM_MBUF_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a shared buffer's data begins at an address: it is no block of the driver's, and no plain release takes it. */
bool mbufBegins(uintptr_t address);

#endif
