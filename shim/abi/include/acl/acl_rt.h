/* The runtime, one header per family. */
#ifndef ACLSAN_ACL_RT_H
#define ACLSAN_ACL_RT_H

#include <stdbool.h>

#include "acl_base.h"
#include "acl_rt_allocator.h"
#include "rt/lifecycle.h"
#include "rt/device.h"
#include "rt/memory.h"
#include "rt/ipc.h"
#include "rt/registration.h"
#include "rt/managed.h"
#include "rt/virtual_memory.h"
#include "rt/copy.h"
#include "rt/stream.h"
#include "rt/event.h"
#include "rt/callback.h"
#include "rt/capture.h"
#include "rt/branch.h"
#include "rt/kernel.h"
#include "rt/batch.h"
#include "rt/described.h"
#include "rt/value.h"
#include "rt/mbuf.h"
#include "rt/notify.h"
#include "rt/links.h"
#include "rt/cache.h"
#include "rt/random.h"
#include "rt/snapshot.h"
#include "rt/simt.h"
#include "rt/overflow.h"
#include "rt/limits.h"
#include "rt/binary.h"
/* What the shim doesn't interpose. */
#ifndef ACLSAN_INTERPOSED_ONLY
#include "rt/version.h"
#include "rt/identity.h"
#include "rt/faults.h"
#include "rt/graph.h"
#include "rt/more_memory.h"
#endif

#endif
