/* The runtime, one header per family. */
#ifndef ACLSAN_ACL_RT_H
#define ACLSAN_ACL_RT_H

#include <stdbool.h>

#include "acl_base.h"
#include "rt/lifecycle.h"
#include "rt/device.h"
#include "rt/memory.h"
#include "rt/copy.h"
#include "rt/stream.h"
#include "rt/event.h"
#include "rt/callback.h"
#include "rt/capture.h"
#include "rt/kernel.h"

#endif
