/* libacl_dvpp_mpi.so: the second media interface's start, end and allocator. Its
 * functions answer error words of their own. */
#include "mpi.h"

#include "../request.h"

#define PADDING 32u
#define ERROR(code) HI_DEFINE_ERR(HI_ID_SYS, HI_ERR_LEVEL_ERROR, (code))

hi_s32 hi_mpi_sys_init(void)
{
    ENTER_MPI();
    return HI_SUCCESS;
}

hi_s32 hi_mpi_sys_exit(void)
{
    ENTER_MPI();
    return HI_SUCCESS;
}

hi_s32 hi_mpi_dvpp_malloc(hi_u32 dev_id, hi_void **dev_ptr, hi_u64 size)
{
    ENTER_MPI();
    (void)dev_id; /* reserved: the current device serves */
    uint64_t bytes;
    if (!dev_ptr) {
        return ERROR(HI_ERR_NULL_PTR);
    }
    if (!roundedSize(size, PADDING, &bytes)) {
        return ERROR(HI_ERR_ILLEGAL_PARAM);
    }
    aclError code = rtDvppMalloc(dev_ptr, bytes, 0);
    if (code == ACL_SUCCESS) {
        return HI_SUCCESS;
    }
    return ERROR(code == ACL_ERROR_RT_MEMORY_ALLOCATION ? HI_ERR_NO_MEM : HI_ERR_NOT_READY);
}

hi_s32 hi_mpi_dvpp_free(hi_void *dev_ptr)
{
    ENTER_MPI();
    if (!dev_ptr) {
        return ERROR(HI_ERR_NULL_PTR);
    }
    return rtDvppFree(dev_ptr) == ACL_SUCCESS ? HI_SUCCESS : ERROR(HI_ERR_BAD_ADDR);
}
