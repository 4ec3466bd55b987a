/* Shared by the files of libacl_dvpp_mpi.so: names, and the start of a call. */
#ifndef SIMULATOR_MPI_H
#define SIMULATOR_MPI_H

#include "../public.h"

#define DVPP_MPI_VB_EXPORTS(X) \
    X(hi_mpi_vb_create_pool) \
    X(hi_mpi_vb_destroy_pool) \
    X(hi_mpi_vb_get_block) \
    X(hi_mpi_vb_release_block) \
    X(hi_mpi_vb_handle_to_addr) \
    X(hi_mpi_vb_block_copyref)

#define DVPP_MPI_VDEC_EXPORTS(X) \
    X(hi_mpi_vdec_create_chn) \
    X(hi_mpi_vdec_destroy_chn) \
    X(hi_mpi_vdec_start_recv_stream) \
    X(hi_mpi_vdec_stop_recv_stream) \
    X(hi_mpi_vdec_send_stream) \
    X(hi_mpi_vdec_get_frame) \
    X(hi_mpi_vdec_release_frame)

DVPP_MPI_VB_EXPORTS(ACLSIM_DECLARE_APART)
DVPP_MPI_VDEC_EXPORTS(ACLSIM_DECLARE_APART)

/* Failures that ACLSIM_FAIL asks for come out as whatever code it names. ERROR is each file's own. */
#define ENTER_MPI() \
    do { \
        aclError injected = aclsimInjected(__func__); \
        if (injected != ACL_SUCCESS) { \
            return injected == ACL_ERROR_RT_MEMORY_ALLOCATION ? ERROR(HI_ERR_NO_MEM) : (hi_s32)injected; \
        } \
    } while (0)

#endif
