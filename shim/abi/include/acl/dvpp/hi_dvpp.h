/* Media processing, second interface: start, end, allocator, VPC, decoder and block pools. */
#ifndef ACLSAN_HI_DVPP_H
#define ACLSAN_HI_DVPP_H

#include "hi_dvpp_type.h"
#include "hi_dvpp_vb.h"
#include "hi_dvpp_vdec.h"
#include "hi_dvpp_vpc.h"

#ifdef __cplusplus
extern "C" {
#endif

hi_s32 hi_mpi_sys_init(void);
hi_s32 hi_mpi_sys_exit(void);

/* The device argument comes first and is ignored: the current device is used. */
hi_s32 hi_mpi_dvpp_malloc(hi_u32 dev_id, hi_void **dev_ptr, hi_u64 size);
hi_s32 hi_mpi_dvpp_free(hi_void *dev_ptr);

#ifdef __cplusplus
}
#endif

#endif
