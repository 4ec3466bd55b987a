/* Shared by the files that define them. */
#ifndef SIMULATOR_PICTURE_ENTRY_H
#define SIMULATOR_PICTURE_ENTRY_H

#include "../../public.h"
#include "acl/ops/dvpp/process.h"
#include "acl/ops/dvpp/video.h"
#include "exports.h"

MEDIA_EXPORTS(ACLSIM_DECLARE_APART)

#endif
